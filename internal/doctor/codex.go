package doctor

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/edit"
	"github.com/vexyart/vomgr/internal/history"
	"github.com/vexyart/vomgr/platform"
)

// codex checks whether Codex would work in the project without a person; all measured with Codex 0.171.0.
func (e *exam) codex() {
	if why := e.absent(assistant.Codex); why != "" {
		e.skip("codex.consent", "%s", why)
		return
	}
	a, _ := assistant.Get(assistant.Codex)
	config := readTOML("user", a.ConfigPath(e.w))
	if !e.codexConfig(config) {
		return
	}
	e.codexLogin(a, config)
	e.codexTrust(config)
	e.codexHookTrust(a, config)
	e.codexProfiles(a)
	e.codexProject()
	e.codexServer(a)
	if dir := e.w.Getenv(a.FolderVar); dir != "" {
		e.info("codex.folder", "set it where windows are opened, too: in your shell's profile", "%s=%s", a.FolderVar, e.w.Tilde(dir))
	}
}

// codexConfig: Codex does not start at all with a config.toml that it cannot read.
func (e *exam) codexConfig(config layer) bool {
	const id = "codex.config"
	at := stop{tool: assistant.Codex, step: history.Started, why: "codex would not start"}
	switch {
	case config.err != nil:
		message, remedy := e.fault(config)
		e.fail(id, at, remedy, "codex does not start with this file: %s", message)
		return false
	case get(config.members, "profile") != nil:
		e.fail(id, at, "remove the line; codex --profile NAME takes the file NAME.config.toml", `%s: codex does not start with "profile = …" any more`, e.w.Tilde(config.path))
		return false
	}
	e.ok(id, "codex reads %s", e.w.Tilde(config.path))
	return true
}

// codexLogin: without a login Codex asks how to log in, unless the provider takes its key from the environment.
func (e *exam) codexLogin(a assistant.Assistant, config layer) {
	const id = "codex.login"
	auth := filepath.Join(a.Dir(e.w), "auth.json")
	provider := text(config.members, "model_provider")
	own, _ := get(config.members, "model_providers", provider).(map[string]any)
	key := text(own, "env_key")
	fi, err := os.Stat(auth)
	switch {
	case own != nil && !isTrue(own, "requires_openai_auth") && key == "":
		e.ok(id, "the model provider %s needs no login", provider)
	case own != nil && key != "" && e.w.Getenv(key) != "":
		e.ok(id, "the model provider %s takes its key from %s", provider, key)
	case own != nil && key != "":
		e.fail(id, asks(assistant.Codex), "export "+key, "the model provider %s takes its key from %s, which is not set", provider, key)
	case err == nil && fi.Size() > 0:
		e.ok(id, "codex is logged in (%s)", e.w.Tilde(auth))
	case text(config.members, "cli_auth_credentials_store") != "" && text(config.members, "cli_auth_credentials_store") != "file":
		e.info(id, "codex login status", "codex keeps its login in the system's key ring, where it was not looked for")
	default:
		e.fail(id, asks(assistant.Codex), "codex login", "codex is not logged in and asks how to")
	}
}

// codexTrust: Codex asks in a git repository and in a folder with a .codex of its own, whatever its options say, until
// somebody trusts the folder or one above it; trust of what lies above the repository does not count. In a folder that
// is marked as not trusted it asks at every start.
func (e *exam) codexTrust(config layer) {
	const id = "codex.trust"
	level, where, repository := "", "", false
	upwards(e.project, func(dir string) bool {
		level, where = text(config.members, "projects", dir, "trust_level"), dir
		_, err := os.Lstat(filepath.Join(dir, ".git"))
		repository = repository || err == nil
		return level == "" && !repository
	})
	switch {
	case level == "trusted":
		e.ok(id, "%s is trusted", e.w.Tilde(where))
	case level != "":
		e.fail(id, asks(assistant.Codex), `trust_level = "trusted" in `+e.w.Tilde(config.path)+", if you do trust it",
			"codex was told not to trust %s (%s), and asks at every start", e.w.Tilde(where), level)
	case repository || isDir(filepath.Join(e.project, ".codex")):
		e.fail(id, asks(assistant.Codex), e.answerOnce("codex"), `codex asks "trust this folder?" in %s; nobody answers`, e.w.Tilde(e.project))
	default:
		e.ok(id, "%s is no git repository and has no .codex, so codex does not ask", e.w.Tilde(e.project))
	}
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// codexHookTrust: a hook that was not reviewed holds every start of Codex up.
func (e *exam) codexHookTrust(a assistant.Assistant, config layer) {
	const id = "codex.hook-trust"
	if get(config.members, "features", "hooks") == false {
		e.ok(id, "codex's hooks are switched off, so it asks for no review")
		return
	}
	file := readJSON("hooks", filepath.Join(a.Dir(e.w), "hooks.json"), edit.JSON)
	if file.err != nil {
		message, remedy := e.fault(file)
		e.warn(id, remedy, "codex cannot read its hooks: %s", message)
		return
	}
	untrusted := append(e.unreviewed(config, file.path, file.members), e.unreviewed(config, config.path, config.members)...)
	if len(untrusted) == 0 {
		e.ok(id, "every hook of codex's was reviewed")
		return
	}
	e.fail(id, asks(assistant.Codex), "codex, read the hooks, choose to trust them", "codex asks for a review of hooks that are new or changed: %s", strings.Join(untrusted, ", "))
}

// unreviewed names the handlers of the hooks in a file that config.toml does not hold as trusted.
func (e *exam) unreviewed(config layer, path string, members map[string]any) []string {
	var names []string
	events, _ := members["hooks"].(map[string]any)
	for event, value := range events {
		groups, _ := value.([]any)
		for i, g := range groups {
			group, _ := g.(map[string]any)
			for j, h := range elements(group, "hooks") {
				handler, _ := h.(map[string]any)
				key := fmt.Sprintf("%s:%s:%d:%d", path, snake(event), i, j)
				trusted := text(config.members, "hooks", "state", key, "trusted_hash")
				hash, known := hookHash(snake(event), group, handler)
				if trusted == "" || known && trusted != hash {
					names = append(names, e.w.Tilde(path)+" "+event)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// snake writes an event's name as Codex does in its keys: SessionStart is session_start.
func snake(event string) string {
	return strings.ToLower(regexp.MustCompile(`([a-z0-9])([A-Z])`).ReplaceAllString(event, "${1}_${2}"))
}

// hookHash is the hash by which Codex 0.171.0 knows a reviewed handler again. known is false for handlers with more
// fields than were measured.
func hookHash(event string, group, handler map[string]any) (hash string, known bool) {
	for key := range handler {
		if key != "type" && key != "command" && key != "timeout" {
			return "", false
		}
	}
	if len(group) > 1 {
		return "", false
	}
	timeout := 600
	switch t := handler["timeout"].(type) {
	case float64:
		timeout = int(t)
	case int64:
		timeout = int(t)
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(map[string]any{
		"event_name": event,
		"hooks":      []any{map[string]any{"async": false, "command": handler["command"], "timeout": timeout, "type": "command"}},
	})
	sum := sha256.Sum256([]byte(strings.TrimSuffix(out.String(), "\n")))
	return "sha256:" + hex.EncodeToString(sum[:]), err == nil
}

// codexProfiles: codex --profile NAME takes the notify of NAME.config.toml instead of the one in config.toml.
func (e *exam) codexProfiles(a assistant.Assistant) {
	const id = "codex.profiles"
	files, _ := filepath.Glob(filepath.Join(a.Dir(e.w), "*.config.toml"))
	var with []string
	for _, path := range files {
		if get(readTOML("profile", path).members, "notify") != nil {
			with = append(with, e.w.Tilde(path))
		}
	}
	if len(with) == 0 {
		e.ok(id, "no profile of codex's has a notify of its own")
		return
	}
	e.warn(id, "remove notify there, or do not work with that profile", "with its profile codex calls another notify program than vomgr's: %s", strings.Join(with, ", "))
}

// codexProject: Codex passes over a notify in a project's own configuration.
func (e *exam) codexProject() {
	const id = "codex.project"
	project := readTOML("project", filepath.Join(e.project, ".codex", "config.toml"))
	if get(project.members, "notify") != nil {
		e.info(id, "", "codex ignores the notify in %s", e.w.Tilde(project.path))
		return
	}
	e.ok(id, "the project has no notify of its own")
}

// codexServer: Codex's sessions share a server, which calls notify with the environment of its own first start.
func (e *exam) codexServer(a assistant.Assistant) {
	const id = "codex.server"
	file := readJSON("server", filepath.Join(a.Dir(e.w), "app-server-daemon", "daemon.pid"), edit.JSON)
	if number, ok := file.members["pid"].(float64); ok && number > 1 && number < 1<<31 {
		p, err := platform.Describe(int(number))
		if err == nil && assistant.Shared(p.Args) {
			e.info(id, "", "codex's shared server runs (pid %d) with the environment of its first start; vomgr keeps to the terminal a chain began in", p.Pid)
			return
		}
	}
	e.ok(id, "no shared server of codex's runs")
}
