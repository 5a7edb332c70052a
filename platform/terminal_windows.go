package platform

import (
	"os"

	"golang.org/x/sys/windows"
)

// terminalOutput is the console's screen; f is its keyboard.
func terminalOutput(f *os.File) *os.File {
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return f
	}
	return out
}

// asForeground is for Unix.
func asForeground() (undo func()) { return func() {} }

// withEscapes runs write while the console reads escape sequences, and puts its modes back.
func withEscapes(out *os.File, write func()) {
	h := windows.Handle(out.Fd())
	var mode uint32
	if windows.GetConsoleMode(h, &mode) != nil {
		return
	}
	if windows.SetConsoleMode(h, mode|windows.ENABLE_PROCESSED_OUTPUT|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) != nil {
		return // a console that would show them as text
	}
	write()
	_ = windows.SetConsoleMode(h, mode)
}

func dropInput(f *os.File) { _ = windows.FlushConsoleInputBuffer(windows.Handle(f.Fd())) }
