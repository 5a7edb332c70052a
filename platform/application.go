package platform

// applications is what macOS knows of the windows of terminal applications; of tests, too, on the other systems.
type applications struct {
	known   func(program string) bool
	windows func(r Request, app string) []Way // of app, and those of Terminal; without what ways adds
}

// ways lists the windows of the terminal application. With nothing configured, or an application named, they come before
// the multiplexer the chain is in; "auto" stays where the chain began.
func (a applications) ways(r Request) []Way {
	app, why := r.World.Getenv("VOMGR_TERMINAL_APP"), "the system's own"
	ownFirst := app != "" || !r.isAuto()
	switch {
	case app != "":
		why = "$VOMGR_TERMINAL_APP"
	case r.isAuto() && a.known(r.Place.Program):
		app, why = r.Place.Program, "the chain began in it"
	}
	return order(r, a.named(r, app, why), ownFirst)
}

// named lists the ways into the windows of an application, and those of Terminal.
func (a applications) named(r Request, app, why string) []Way {
	ways := a.windows(r, app)
	for i := range ways {
		w := &ways[i]
		w.Why, w.Env, w.Wait, w.text, w.returns = why, windowEnv(r.World.Env, r.Place), slowWait, commandFileText(r), true
	}
	return ways
}
