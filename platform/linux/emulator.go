package linux

// Emulator is a terminal emulator and how it is told what to run.
type Emulator struct {
	Program string
	Lead    []string // between the program and the command
	Wayland bool     // it can open a window on a Wayland compositor
	X       bool     // it can open a window on an X display
}

// Emulators lists the emulators vomgr knows, the best first. Each was started under Xvfb with the words given
// (Debian 12); those with a server of their own are kept from using it, since it hands on a stale environment.
func Emulators() []Emulator {
	return []Emulator{
		{Program: "x-terminal-emulator", Lead: []string{"-e"}, X: true, Wayland: true},
		{Program: "xterm", Lead: []string{"-e"}, X: true},
	}
}

// Argv is the command line that opens a window; program is the emulator's absolute path.
func (e Emulator) Argv(program string, command ...string) []string {
	argv := append([]string{program}, e.Lead...)
	return append(argv, command...)
}
