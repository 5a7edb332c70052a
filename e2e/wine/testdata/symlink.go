package syscall

// Wine 8 says that it made a symbolic link and makes none. Here it says that it cannot, so that tests of links are
// skipped: IsDebuggerPresent answers 0, which is how CreateSymbolicLinkW fails.
func init() { procCreateSymbolicLinkW = modkernel32.NewProc("IsDebuggerPresent") }
