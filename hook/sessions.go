package hook

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// uuidTime is the time in a UUID of version 7, as Codex uses for its threads.
func uuidTime(id string) (time.Time, bool) {
	hex := strings.ReplaceAll(id, "-", "")
	if len(hex) != 32 || hex[12] != '7' {
		return time.Time{}, false
	}
	ms, err := strconv.ParseInt(hex[:12], 16, 64)
	return time.UnixMilli(ms), err == nil
}

// latest returns the session file that changed last, looked for in sessions itself and in its day folders. Appending
// to a file changes no folder's time, so every file is looked at: this is the last resort, when a payload names
// neither folder nor thread.
func (c codexSessions) latest() string {
	best, bestTime := "", time.Time{}
	_ = filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".jsonl" {
			return nil
		}
		if fi, err := d.Info(); err == nil && fi.Mode().IsRegular() && fi.ModTime().After(bestTime) {
			best, bestTime = path, fi.ModTime()
		}
		return nil
	})
	return best
}

// ofSubAgent tells whether thread is a sub-agent's: its session file names one as its source
// ("source":{"subagent":…}, where a person's thread has "cli").
func (c codexSessions) ofSubAgent(thread string) bool {
	path := c.file(thread)
	if path == "" {
		return false
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // read only
	line, _ := readLine(bufio.NewReader(f), nil)
	return gjson.GetBytes(line, "payload.source.subagent").Exists()
}

// sessionFolder reads the folder a session file names: cwd at the top level of its records or under payload. The first
// record has it (Codex 0.171.0: 22 KB long); a few more are looked at for older files.
func sessionFolder(path string) string {
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // read only
	r := bufio.NewReaderSize(f, 64<<10)
	found := ""
	var line []byte
	for range 50 {
		var more bool
		line, more = readLine(r, line[:0])
		// A record longer than what is kept is no valid JSON; the search then takes the first cwd in it.
		if cwd := gjson.GetBytes(line, "payload.cwd").String(); cwd != "" {
			found = cwd
		} else if cwd := gjson.GetBytes(line, "cwd").String(); cwd != "" {
			found = cwd
		}
		if found != "" || !more {
			return found
		}
	}
	return found
}
