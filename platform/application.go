package platform

import "github.com/vexyart/vomgr/platform/darwin"

// macWays lists the windows of macOS's terminal application. With nothing configured, or an application named, they
// come before the multiplexer the chain is in; "auto" stays where the chain began.
func macWays(r Request) []Way {
	app, why := r.World.Getenv("VOMGR_TERMINAL_APP"), "the system's own"
	ownFirst := app != "" || !r.isAuto()
	switch {
	case app != "":
		why = "$VOMGR_TERMINAL_APP"
	case r.isAuto() && darwin.Known(r.Place.Program):
		app, why = r.Place.Program, "the chain began in it"
	}
	return order(r, applicationWays(r, app, why), ownFirst)
}

// applicationWays lists the ways into the windows of an application, and those of Terminal.
func applicationWays(r Request, app, why string) []Way {
	own := darwin.Windows(darwin.Request{
		App: app, Helper: r.Helper, Job: r.Job, Command: commandFile(r), Look: r.World.LookPath,
	})
	ways := make([]Way, len(own))
	for i, w := range own {
		ways[i] = Way{
			Name: w.Name, Why: why, Argv: w.Argv, Env: windowEnv(r.World.Env, r.Place), AsksPerson: w.AsksPerson, Wait: slowWait,
			command: w.Command, text: commandFileText(r), returns: true, explain: darwin.Explain,
		}
	}
	return ways
}
