package doctor

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"time"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/atomicfile"
	"github.com/vexyart/vomgr/internal/world"
)

// answerTime is how long a program may take to say its version; some start a runtime of their own for it.
const answerTime = 10 * time.Second

var versionForm = regexp.MustCompile(`\b[0-9]+\.[0-9]+(\.[0-9]+)?\b`)

// Ask has an installed program whose files name no version say it, and remembers the answer for the hook, which asks
// nothing. It is run from the home folder, since a project's files may change what it does, and given ten seconds.
// One that was asked since it last changed is not asked again. An error says that the answer could not be remembered.
func Ask(w world.World, a assistant.Assistant) (assistant.Installed, error) {
	in := a.Installed(w)
	if in.Path == "" || in.Version != "" && (in.Source != "asked" || assistant.Asked(w, in.Path)) {
		return in, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, in.Path, "--version")
	cmd.Dir, cmd.Env, cmd.Stdout = w.Home, assistant.CleanEnv(w.Env), &capped{buf: &out}
	cmd.WaitDelay = time.Second // what it started may hold its streams
	err := cmd.Run()
	version := versionForm.FindString(out.String())
	if err != nil || version == "" {
		return in, nil // it keeps the version it gave last
	}
	in.Version, in.Source = version, "asked"
	file, content, err := assistant.Answer(w, in.Path, version)
	if err == nil {
		err = atomicfile.Write(file, content, 0o600)
	}
	if err != nil {
		return in, fmt.Errorf("remembering the version of %s: %w", a.Name, err)
	}
	return in, nil
}

// capped keeps the first bytes of what a program says.
type capped struct{ buf *bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	if room := 4096 - c.buf.Len(); room > 0 {
		c.buf.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
