package platform

import (
	"io"
	"os"

	"golang.org/x/term"
)

// plainTerminal brings a terminal back from what the full-screen programs of the assistants switch on: synchronised
// output, focus reports, bracketed paste, mouse, keyboard protocols (kitty's, xterm's), application keys, colours, the
// alternate screen. Leaving the alternate screen may put the cursor anywhere, so it goes to the last line.
// Codex 0.171.0 leaves most of it on however it is ended (measured).
const plainTerminal = "\x1b[?2026l" +
	"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l" +
	"\x1b[?1004l\x1b[?2004l\x1b[<u\x1b[>4;0m" +
	"\x1b[?1l\x1b>\x1b[0m" +
	"\x1b[?1049l\x1b[?7h\x1b[?25h" +
	"\x1b[9999;1H\r\n"

// SaveTerminal notes the modes of the terminal f. restore puts them back, leaves the alternate screen, switches the
// mouse and the rest off, and drops what a dead program's mouse reports left in the input; changed tells whether a
// program has left other modes behind. They do nothing when f is no terminal.
func SaveTerminal(f *os.File) (restore func(), changed func() bool) {
	state, err := term.GetState(int(f.Fd()))
	if err != nil {
		return func() {}, func() bool { return false }
	}
	changed = func() bool {
		now, err := term.GetState(int(f.Fd()))
		return err == nil && *now != *state
	}
	out := terminalOutput(f)
	screen, screenErr := term.GetState(int(out.Fd())) // on Windows modes of its own
	restore = func() {
		defer asForeground()()
		if screenErr == nil {
			_ = term.Restore(int(out.Fd()), screen)
		}
		withEscapes(out, func() { _, _ = io.WriteString(out, plainTerminal) })
		_ = term.Restore(int(f.Fd()), state)
		dropInput(f)
		if out != f {
			_ = out.Close()
		}
	}
	return restore, changed
}
