//go:build vomgr_fault

package hook

import (
	"os"
	"runtime/debug"
	"strings"

	"github.com/vexyart/vomgr/internal/world"
)

// crashAt kills this process where CRASH is "<point>:<file>" and the file is there, which it takes away: only in the
// build by which a test shows what is left of a hand-over whose parts are killed.
func crashAt(w world.World, point string) {
	want, file, _ := strings.Cut(w.Getenv("CRASH"), ":")
	if want != point || os.Remove(file) != nil {
		return
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}

// injectFault fails as FAULT says: only in the build by which a test shows that no fault of the hook's becomes status 2.
func injectFault(w world.World) {
	switch w.Getenv("FAULT") {
	case "panic":
		panic("injected")
	case "goroutine":
		go func() { panic("injected") }()
		select {}
	case "stack":
		debug.SetMaxStack(1 << 20) // a gigabyte would show nothing more
		var deeper func(int) int
		deeper = func(n int) int { return deeper(n+1) + 1 }
		deeper(0)
	case "map":
		m := map[int]int{}
		for range 8 {
			go func() {
				for i := 0; ; i++ {
					m[i%8] = i
				}
			}()
		}
		select {}
	}
}
