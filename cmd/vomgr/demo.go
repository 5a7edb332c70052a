package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/internal/demo"
	"github.com/vexyart/vomgr/internal/world"
)

func newDemo(w world.World) *cobra.Command {
	var o demo.Options
	c := &cobra.Command{
		Use:   "demo",
		Short: "Watch three hand-overs between stand-ins; nothing of yours is used",
		Long: `Watch three hand-overs between stand-ins, in a throw-away home.

vomgr itself plays claude and codex, which call their hooks as the real ones do; everything else is the real thing. It
takes some seconds and needs no assistant, terminal or display. The status is 0 only if every step happened.`,
		Example: "  vomgr demo\n  vomgr demo --keep",
		Args:    wants(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
			defer stop()
			err := demo.Run(ctx, w, o)
			if err != nil && !o.Keep && ctx.Err() == nil {
				err = withHint(err, "vomgr demo --keep leaves the throw-away home for a look")
			}
			return err
		},
	}
	c.Flags().BoolVar(&o.Keep, "keep", false, "leave the throw-away home")
	return c
}
