package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/vexyart/vomgr/internal/chain"
)

// Bounds of a look at a work tree; a larger one counts as changed.
const (
	maxTreeFiles = 100_000
	maxTreeTime  = 3 * time.Second
)

// quickTurn is the length below which a turn that changed nothing counts as quick.
const quickTurn = 15 * time.Second

// changedNothing counts the turns in a row that changed nothing, and gives the limit that ends the chain, or "".
func (l *launching) changedNothing() string {
	limits := l.set.Limits
	if limits.MaxQuick <= 0 && limits.StopWhenStalled <= 0 {
		return ""
	}
	print := treePrint(l.job.Project, l.w.Now)
	_, git := findRepository(l.job.Project)
	over := ""
	_ = l.store.Project(l.job.Project).Change(launcherWait, func(st *chain.State) error {
		c := st.Chain
		if c == nil || c.ID != l.job.Chain {
			return nil
		}
		same := print != "" && print == c.Print
		c.Print = print
		if !same {
			c.Stalled, c.Quick = 0, 0
			return nil
		}
		c.Stalled++
		if st.Session != nil && l.job.Created.Sub(st.Session.Began) < quickTurn {
			c.Quick++
		} else {
			c.Quick = 0
		}
		switch {
		case limits.MaxQuick > 0 && c.Quick >= limits.MaxQuick:
			over = fmt.Sprintf("max_quick: %d turns in a row under %s changed nothing", c.Quick, quickTurn)
		case git && limits.StopWhenStalled > 0 && c.Stalled >= limits.StopWhenStalled:
			over = fmt.Sprintf("stop_when_stalled: %d hand-overs in a row changed nothing", c.Stalled)
		}
		return nil
	})
	return over
}

// treePrint is a print of HEAD and of the name, size and time of each file of the work tree; "" when the tree is too
// large to look at. No git is started, whose filters would run the project's programs.
func treePrint(project string, now func() time.Time) string {
	sum := sha256.New()
	fmt.Fprintln(sum, headOf(project))
	began, files := now(), 0
	err := filepath.WalkDir(project, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // a folder that cannot be read stays as it is for us
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		files++
		if files > maxTreeFiles || files%1000 == 0 && now().Sub(began) > maxTreeTime {
			return io.EOF
		}
		printFile(sum, path, d)
		return nil
	})
	if err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

func printFile(sum io.Writer, path string, d fs.DirEntry) {
	fi, err := d.Info()
	if err != nil {
		return
	}
	target := ""
	if fi.Mode()&fs.ModeSymlink != 0 {
		target, _ = os.Readlink(path)
	}
	fmt.Fprintf(sum, "%q %d %d %q\n", path, fi.Size(), fi.ModTime().UnixNano(), target)
}
