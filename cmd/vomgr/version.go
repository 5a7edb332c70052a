package main

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vexyart/vomgr/internal/world"
)

// Set by the release build.
var version, commit, date string

// build says what this binary is.
type build struct {
	Version  string `json:"version"`            // without the v of the tag; "devel" when nothing is known
	Commit   string `json:"commit,omitempty"`   // at least 12 digits
	Date     string `json:"date,omitempty"`     // of the commit, RFC 3339
	Modified bool   `json:"modified,omitempty"` // built from files that differ from the commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// thisBuild takes what the release build set, else what Go itself recorded.
func thisBuild() build {
	set := build{Version: version, Commit: commit, Date: date, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, _ := debug.ReadBuildInfo()
	return fill(set, info)
}

// pseudo matches the version Go makes up for a commit without a tag: the time and the beginning of the commit's hash.
var pseudo = regexp.MustCompile(`[-.](\d{14})-([0-9a-f]{12})$`)

// fill completes b with what Go recorded: the module's version (go install …@latest), the state of the work tree
// (go build in a clone), or the commit that a made-up version names.
func fill(b build, info *debug.BuildInfo) build {
	if b.Version == "" && info != nil {
		fromModule(&b, info.Main.Version)
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Commit = s.Value
			case "vcs.time":
				b.Date = s.Value
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
	}
	b.Version = strings.TrimPrefix(b.Version, "v")
	if b.Version == "" {
		b.Version = "devel"
	}
	return b
}

func fromModule(b *build, recorded string) {
	if recorded == "(devel)" {
		return
	}
	recorded, b.Modified = strings.CutSuffix(recorded, "+dirty")
	b.Version = recorded
	if m := pseudo.FindStringSubmatch(recorded); m != nil {
		b.Commit = m[2]
		if t, err := time.Parse("20060102150405", m[1]); err == nil {
			b.Date = t.Format(time.RFC3339)
		}
	}
}

// write says it to a person: the version alone on the first line.
func (b build) write(out io.Writer) {
	fmt.Fprintf(out, "vomgr %s\n", b.Version)
	if b.Commit != "" {
		from := b.Commit[:min(12, len(b.Commit))]
		if day, _, ok := strings.Cut(b.Date, "T"); ok {
			from += " of " + day
		}
		if b.Modified {
			from += ", modified"
		}
		fmt.Fprintf(out, "commit    %s\n", from)
	}
	fmt.Fprintf(out, "built     with %s for %s\n", b.Go, b.Platform)
}

func newVersion(w world.World) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Say which vomgr this is",
		Example: "  vomgr version\n  vomgr version --json",
		Args:    wants(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			if asJSON {
				return json.NewEncoder(w.Stdout).Encode(b)
			}
			b.write(w.Stdout)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}
