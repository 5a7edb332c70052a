package doctor

import (
	"bytes"
	"context"
	"os/exec"
	"regexp"
	"time"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/atomicfile"
)

// answerTime is how long a program may take to say its version; some start a runtime of their own for it.
const answerTime = 10 * time.Second

var versionForm = regexp.MustCompile(`\b[0-9]+\.[0-9]+(\.[0-9]+)?\b`)

// ask has the program say its version and remembers the answer, so that the hook need not ask. It is run from the home
// folder, since a project's files may change what it does.
func (e *exam) ask(a assistant.Assistant, in assistant.Installed) assistant.Installed {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, in.Path, "--version")
	cmd.Dir, cmd.Env, cmd.Stdout = e.w.Home, assistant.CleanEnv(e.w.Env), &capped{buf: &out}
	cmd.WaitDelay = time.Second // what it started may hold its streams
	err := cmd.Run()
	version := versionForm.FindString(out.String())
	if err != nil || version == "" {
		return in
	}
	in.Version, in.Source = version, "asked"
	file, content, err := assistant.Answer(e.w, in.Path, version)
	if err == nil {
		err = atomicfile.Write(file, content, 0o600) // no state folder yet: it is asked again
	}
	if err != nil {
		e.info(string(a.Name)+".asked", "vomgr enable", "the version of %s could not be remembered: %s", a.Name, e.tilde(err.Error()))
	}
	return in
}

// capped keeps the first bytes of what a program says.
type capped struct{ buf *bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	if room := 4096 - c.buf.Len(); room > 0 {
		c.buf.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
