//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Program is an assistant's published program at one version.
type Program struct {
	Tool    Tool
	Package string // its npm package
	Version string
}

// The versions the tests are pinned to. Others are tried by naming them in the environment; e2e/run names the newest of
// all three with VOMGR_E2E_LATEST=1.
var (
	ClaudeOld = Program{Claude, "@anthropic-ai/claude-code", "2.1.197"}
	ClaudeNew = Program{Claude, "@anthropic-ai/claude-code", version("VOMGR_E2E_CLAUDE", "2.1.332")}
	CodexNow  = Program{Codex, "@openai/codex", version("VOMGR_E2E_CODEX", "0.171.0")}
	GeminiNow = Program{Gemini, "@google/gemini-cli", version("VOMGR_E2E_GEMINI", "0.61.0")}
)

// version returns what the variable names, else pinned.
func version(variable, pinned string) string {
	if v := os.Getenv(variable); v != "" {
		return v
	}
	return pinned
}

// installing keeps two tests of this process from installing the same thing.
var installing sync.Mutex

// CacheDir returns the folder that holds the programs and the throw-away homes: $VOMGR_E2E_CACHE, else vomgr-e2e in the
// person's cache folder.
func CacheDir() (string, error) {
	if dir := os.Getenv("VOMGR_E2E_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the cache folder (set VOMGR_E2E_CACHE): %w", err)
	}
	return filepath.Join(dir, "vomgr-e2e"), nil
}

// Install installs the program with npm, each version in its own prefix, unless it is there, and returns the folder to put on PATH.
func (p Program) Install() (bin string, err error) {
	installing.Lock()
	defer installing.Unlock()
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	prefix := filepath.Join(cache, string(p.Tool)+"-"+p.Version)
	bin = filepath.Join(prefix, "node_modules", ".bin")
	if _, err := os.Stat(filepath.Join(bin, string(p.Tool))); err == nil {
		return bin, nil
	}
	if err := p.npm(cache, prefix); err != nil {
		return "", fmt.Errorf("installing %s %s: %w", p.Package, p.Version, err)
	}
	return bin, nil
}

// npm installs into a folder of its own and renames it, so that an interrupted installation is never taken for a whole one.
func (p Program) npm(cache, prefix string) error {
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(cache, "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := os.WriteFile(filepath.Join(temp, "package.json"), []byte("{\"private\":true}\n"), 0o600); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--prefix", temp, "--no-audit", "--no-fund", "--loglevel=error", p.Package+"@"+p.Version)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	err = os.Rename(temp, prefix)
	if errors.Is(err, os.ErrExist) {
		return nil // another run was faster
	}
	return err
}
