package linux

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"
)

func TestParseDisplay(t *testing.T) {
	for name, want := range map[string]struct {
		display

		ok, forwarded bool
	}{
		":0":                     {display{number: 0}, true, false},
		":77.0":                  {display{number: 77}, true, false},
		"unix:3":                 {display{number: 3}, true, false},
		"localhost:10.0":         {display{host: "localhost", number: 10}, true, true},
		"::1:11":                 {display{host: "::1", number: 11}, true, true},
		"172.20.0.1:0.0":         {display{host: "172.20.0.1", number: 0}, true, false},
		"/tmp/launch/org.x:0":    {display{socket: "/tmp/launch/org.x:0"}, true, false},
		"":                       {display{}, false, false},
		"0":                      {display{}, false, false},
		":":                      {display{}, false, false},
		":x":                     {display{}, false, false},
		":-1":                    {display{}, false, false},
		":99999999999999999999":  {display{}, false, false},
		"localhost:59536":        {display{}, false, false},
		"$(touch pwned):`pwned`": {display{}, false, false},
	} {
		got, ok := parseDisplay(name)
		if got != want.display || ok != want.ok || Forwarded(name) != want.forwarded {
			t.Errorf("%q: %+v %v %v", name, got, ok, Forwarded(name))
		}
	}
}

// server listens at a socket and treats each connection with answer.
func server(t *testing.T, answer func(net.Conn)) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "vt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil && runtime.GOOS == "windows" {
		t.Skip(err) // Wine has none
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				answer(conn)
				_ = conn.Close()
			}()
		}
	}()
	return path
}

// What ssh carries home is answered by hanging up; a listener with nobody behind it is silent.
func TestAnswersForwarded(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	number := l.Addr().(*net.TCPAddr).Port - 6000
	if number < 0 {
		t.Skip("the port is below those of displays")
	}
	name := "127.0.0.1:" + strconv.Itoa(number) + ".0"
	if XAnswers(name, 100*time.Millisecond) {
		t.Error("nobody takes the connection, yet it answers")
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 64))
			_ = conn.Close()
		}
	}()
	if !XAnswers(name, 5*time.Second) {
		t.Error("it hangs up, and does not count")
	}
}

// reply reads the whole greeting and answers with a byte.
func reply(b byte) func(net.Conn) {
	return func(conn net.Conn) {
		if n, _ := conn.Read(make([]byte, 64)); n == 12 {
			_, _ = conn.Write([]byte{b})
		}
	}
}

func TestAnswers(t *testing.T) {
	done := make(chan struct{})
	defer close(done)
	hang := func(net.Conn) { <-done }
	for name, c := range map[string]struct {
		path string
		want bool
	}{
		"open to all":        {server(t, reply(1)), true},
		"refuses for no key": {server(t, reply(0)), true},
		"hangs":              {server(t, hang), false},
		"closes at once":     {server(t, func(net.Conn) {}), false},
		"not there":          {"/nonexistent/socket", false},
	} {
		began := time.Now()
		if got := XAnswers(c.path, 200*time.Millisecond); got != c.want {
			t.Errorf("X, %s: %v", name, got)
		}
		if got := WaylandAnswers("", c.path, 200*time.Millisecond); got != c.want {
			t.Errorf("Wayland, %s: %v", name, got)
		}
		if got := WaylandAnswers(filepath.Dir(c.path), filepath.Base(c.path), 200*time.Millisecond); got != c.want {
			t.Errorf("Wayland in a folder, %s: %v", name, got)
		}
		if d := time.Since(began); d > 5*time.Second {
			t.Errorf("%s: took %s", name, d)
		}
	}
	for _, name := range []string{"", "nonsense", ":59011"} {
		if XAnswers(name, time.Second) || WaylandAnswers("", name, time.Second) {
			t.Errorf("%q answers", name)
		}
	}
}
