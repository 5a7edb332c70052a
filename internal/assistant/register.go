package assistant

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vexyart/vomgr/internal/edit"
	"github.com/vexyart/vomgr/internal/world"
)

// Registration is how an assistant shall call vomgr.
type Registration struct {
	Hook       string // absolute path of the hook program
	Vomgr      string // absolute, lasting path of vomgr itself, by which Gemini calls it
	UsageLimit bool   // Claude: also when it stops by a usage limit or an error
	ViaHooks   bool   // Codex: as its Stop hook instead of its notify program
	Gemini     bool   // Gemini: register at all
	Windows    bool   // in the form for Windows
}

// State is what a configuration file says about vomgr.
type State struct {
	Entries []Entry  // where ours is called
	Kept    []string // the program of somebody else that ours calls in its turn (Codex)
	Wrapped []string // the program of somebody else that calls ours in its turn (Codex)
	Foreign []string // the program of somebody else that has the place for itself (Codex)
	Off     bool     // Claude: "disableAllHooks" is on
	// Repeated names what stands there more than once; the assistant takes the last one.
	Repeated []string
}

// Entry is one place in which ours is called.
type Entry struct {
	Event   string // "Stop", "notify" …
	Program string // as it stands there
	Line    int    // 0 when not known
}

// Registered tells whether the assistant calls vomgr.
func (s State) Registered() bool { return len(s.Entries) > 0 || len(s.Wrapped) > 0 }

// Config is a configuration file in which an assistant can be made to call vomgr. Its methods are functions of the file's
// bytes; an empty document stands for a file that does not exist, and stays empty where there is nothing to say.
type Config struct {
	Path string
	kind configKind
}

// configKind says how vomgr stands in a file, and what the assistant makes of a broken one.
type configKind struct {
	register   func(doc []byte, r Registration) ([]byte, error)
	unregister func(doc, before []byte) ([]byte, error)
	state      func(doc []byte) (State, error)
	broken     string // what follows from a file that cannot be parsed
}

// Configs lists the files that concern the assistant: the first is where vomgr is registered by default.
func (a Assistant) Configs(w world.World) []Config {
	main := a.ConfigPath(w)
	switch a.Name {
	case Claude:
		return []Config{{main, claudeSettings}}
	case Codex:
		return []Config{{main, codexConfig}, {filepath.Join(a.Dir(w), "hooks.json"), codexHooks}}
	}
	return []Config{{main, geminiSettings}}
}

// Register returns doc with vomgr registered as r says, and nowhere else; an entry of ours of another path or form, or of
// the Python original, is replaced in place. A *Refusal says why it cannot be edited.
func (c Config) Register(doc []byte, r Registration) ([]byte, error) {
	out, err := c.kind.register(doc, r)
	return out, c.refusal(err)
}

// Unregister returns doc without what is ours. A list or an object that became empty by that goes, too, unless it was
// empty in before already: that is doc from before it was registered, or nil.
func (c Config) Unregister(doc, before []byte) ([]byte, error) {
	out, err := c.kind.unregister(doc, before)
	return out, c.refusal(err)
}

// State reads what doc says about vomgr.
func (c Config) State(doc []byte) (State, error) {
	s, err := c.kind.state(doc)
	return s, c.refusal(err)
}

// Blank tells that doc says nothing, not even in a comment.
func Blank(doc []byte) bool {
	text := strings.Join(strings.Fields(strings.TrimPrefix(string(doc), "\xef\xbb\xbf")), "")
	return text == "" || text == "{}"
}

// Mentions tells whether doc, which may be no JSON or TOML at all, could name a program of vomgr's: by its name, or in an
// encoding or by an escape that may hide it.
func Mentions(doc []byte) bool {
	text := strings.ToLower(string(doc))
	for _, mark := range []string{"vocl-go", "voco-go", "voge-go", "vomgr", `\u`, `\x`, "\x00"} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// Refusal is an edit.Refusal with what it means for the assistant.
type Refusal struct {
	*edit.Refusal
	Means string // "claude ignores the whole file because of it …"; may be empty
}

// Error is LINE:COL: WHAT; WHAT IT MEANS.
func (r *Refusal) Error() string {
	if r.Means == "" {
		return r.Refusal.Error()
	}
	return r.Refusal.Error() + "; " + r.Means
}

// Unwrap returns the bare refusal.
func (r *Refusal) Unwrap() error { return r.Refusal }

func (c Config) refusal(err error) error {
	var known *Refusal
	var bare *edit.Refusal
	if errors.As(err, &known) || !errors.As(err, &bare) {
		return err
	}
	means := ""
	if bare.Syntax {
		means = c.kind.broken
	}
	return &Refusal{bare, means}
}

// words splits the text of a shell command as far as finding the program in it needs: quotes of both kinds, and a
// backslash before what a shell takes specially, so that a Windows path keeps its own.
func words(command string) []string {
	var all []string
	var word strings.Builder
	var quote byte
	open := false
	for i := 0; i < len(command); i++ {
		c := command[i]
		switch {
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if open {
				all = append(all, word.String())
			}
			word.Reset()
			open = false
		case quote == 0 && (c == '"' || c == '\''):
			quote, open = c, true
		case quote == c && quote != 0:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(command) && strings.IndexByte("\"$`\\' ", command[i+1]) >= 0:
			i++
			word.WriteByte(command[i])
			open = true
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if open {
		all = append(all, word.String())
	}
	return all
}

// ourPart tells how many elements of argv, from the first, name the hook of the assistant called name: its program, the
// Python original with or without its interpreter, or vomgr called by words. 0 means that argv is somebody else's.
func ourPart(name Name, argv []string) int {
	isHook := func(s string) bool {
		a, role := ByProgram(strings.TrimSuffix(s, ".py"))
		return role == StopRole && a.Name == name
	}
	switch {
	case len(argv) > 0 && isHook(argv[0]):
		return 1
	case len(argv) > 1 && strings.HasPrefix(Base(argv[0]), "python") && isHook(argv[1]):
		return 2
	case len(argv) > 3 && Base(argv[0]) == "vomgr" && argv[1] == "hook" && argv[2] == "stop" && Name(argv[3]) == name:
		return 4
	}
	return 0
}

// ourProgram returns the program among the part of argv that is ours.
func ourProgram(argv []string, part int) string {
	if part == 2 {
		return argv[1]
	}
	return argv[0]
}

// ours recognises a handler of the hooks of the assistant called name.
func ours(name Name) func(edit.Handler) bool {
	return func(h edit.Handler) bool { return ourPart(name, handlerArgv(h)) > 0 }
}

// handlerArgv is what h starts. A command with arguments of its own is no shell's text, unless it cannot be anything else:
// a Claude Code that does not know "args" would take it so.
func handlerArgv(h edit.Handler) []string {
	if h.Args != nil && !strings.HasPrefix(h.Command, `"`) {
		return append([]string{h.Command}, h.Args...)
	}
	argv := words(h.Command)
	if len(argv) > 0 && argv[0] == "&" { // PowerShell
		argv = argv[1:]
	}
	return argv
}

// hooksState reads the entries of ours among the hooks of a JSON document.
func hooksState(d edit.Dialect, name Name, doc []byte) (State, error) {
	found, err := d.Hooks(doc)
	if err != nil {
		return State{}, err
	}
	var s State
	var events []string
	for _, f := range found {
		if ours(name)(f.Handler) {
			argv := handlerArgv(f.Handler)
			s.Entries = append(s.Entries, Entry{f.Event, ourProgram(argv, ourPart(name, argv)), f.Line})
			if !slices.Contains(events, f.Event) {
				events = append(events, f.Event)
			}
		}
	}
	s.Repeated = d.Repeated(doc, events...)
	return s, nil
}
