package edit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// Handler is one program that an assistant calls at an event: the object in hooks.EVENT[].hooks[] that Claude Code, Codex
// and Gemini CLI have in common.
type Handler struct {
	Name    string   // Gemini's; "" for none
	Command string   // a shell's text or, with Args, a program
	Args    []string // nil in the shell form
	Timeout int      // in the assistant's own unit (Claude: seconds, Gemini: milliseconds); 0 for none
}

// Hook is what SetHooks makes true for one event.
type Hook struct {
	Event   string
	Handler *Handler // nil: none of ours
	Matcher string   // of the group that is added; "" for none
}

// Found is a handler of type "command" as it stands in a document.
type Found struct {
	Event string
	Handler
	Line int
}

// handler is where a Handler stands.
type handler struct {
	node
	Handler
}

type group struct {
	node
	list     node // its "hooks"
	elements []node
	handlers []handler // those of type "command"
}

// frame is where the hooks of a document stand; the members called "hooks" are counted because the last of the same name
// is the one that works, as measured with Claude Code 2.1.197.
type frame struct {
	document
	root, hooks         node
	rootKids, hooksKids []node
	hooksCount          int
}

// event is where the groups of one event stand; its lists are counted for the same reason.
type event struct {
	frame
	list        node
	eventsCount int
	elements    []node
	groups      []group
}

// SetHooks returns doc with, for every event named, the handler that is ours (as ours tells) equal to the one wanted:
// added as a group of its own if there is none, brought up to date in place, and the only one. Where none is wanted, ours
// is taken out with what becomes empty by that. Fields of ours that a person added stay.
// doc may be empty. A *Refusal says why doc cannot be edited.
func (d Dialect) SetHooks(doc []byte, hooks []Hook, ours func(Handler) bool) ([]byte, error) {
	for _, h := range hooks {
		var err error
		if doc, err = d.setHook(doc, h, ours, vacancy{}); err != nil {
			return nil, err
		}
	}
	if err := d.holds(doc, hooks, ours); err != nil {
		return nil, err
	}
	return doc, nil
}

// setHook is SetHooks for one event; keep is for removing.
func (d Dialect) setHook(doc []byte, h Hook, ours func(Handler) bool, keep vacancy) ([]byte, error) {
	parsed, err := d.parse(doc)
	if err != nil {
		return nil, err
	}
	f, err := parsed.frame()
	if err != nil {
		return nil, err
	}
	ev, err := f.event(h.Event)
	if err != nil {
		return nil, err
	}
	var mine []handler
	for _, g := range ev.groups {
		for _, hd := range g.handlers {
			if ours(hd.Handler) {
				mine = append(mine, hd)
			}
		}
	}
	switch {
	case h.Handler == nil && len(mine) == 0:
		return doc, nil
	case h.Handler == nil:
		return d.commit(parsed, parsed.remove(ev, mine, keep))
	case len(mine) == 0:
		return d.commit(parsed, parsed.add(ev, h))
	}
	stays := max(0, slices.IndexFunc(mine, func(m handler) bool { return same(m.Handler, *h.Handler) }))
	changes := parsed.rewrite(mine[stays], *h.Handler)
	if rest := slices.Delete(slices.Clone(mine), stays, stays+1); len(rest) > 0 {
		changes = append(changes, parsed.remove(ev, rest, vacancy{})...)
	}
	return d.commit(parsed, changes)
}

// same tells whether a handler starts what another would.
func same(a, b Handler) bool {
	return a.Command == b.Command && (a.Args == nil) == (b.Args == nil) && slices.Equal(a.Args, b.Args)
}

// holds proves the edit from outside: exactly one of ours where one is wanted, none elsewhere.
func (d Dialect) holds(doc []byte, hooks []Hook, ours func(Handler) bool) error {
	found, err := d.Hooks(doc)
	if err != nil {
		return fmt.Errorf("the edited text would not be valid: %w", err)
	}
	for _, h := range hooks {
		n, right := 0, h.Handler == nil
		for _, f := range found {
			if f.Event == h.Event && ours(f.Handler) {
				n++
				right = h.Handler != nil && same(f.Handler, *h.Handler)
			}
		}
		if !right || n > 1 || h.Handler == nil && n > 0 {
			return fmt.Errorf("the edited text would hold %d handlers of ours for %s", n, h.Event)
		}
	}
	return nil
}

// Hooks lists every handler of type "command" that doc registers where the assistants look: under the last member called
// "hooks", and the last one of an event's name.
func (d Dialect) Hooks(doc []byte) ([]Found, error) {
	parsed, err := d.parse(doc)
	if err != nil {
		return nil, err
	}
	var found []Found
	lines := lineStarts(parsed.text)
	for _, list := range parsed.lists() {
		for _, e := range parsed.kids(list) {
			for _, h := range parsed.group(e).handlers {
				line, _ := slices.BinarySearch(lines, h.start+1)
				found = append(found, Found{Event: list.key, Handler: h.Handler, Line: line})
			}
		}
	}
	return found, nil
}

// lists returns the lists of all events, the last of each name where the first stands. An event that is not a list is
// ignored by the assistants.
func (d document) lists() []node {
	f, err := d.frame()
	if err != nil {
		return nil
	}
	var lists []node
	at := map[string]int{}
	for _, k := range f.hooksKids {
		i, ok := at[k.key]
		if !ok {
			i = len(lists)
			at[k.key] = i
			lists = append(lists, k)
		}
		lists[i] = k
	}
	return slices.DeleteFunc(lists, func(n node) bool { return d.view[n.start] != '[' })
}

// Repeated names, of "hooks" and of the events given, what stands in doc more than once; only the last of each counts.
func (d Dialect) Repeated(doc []byte, events ...string) []string {
	parsed, err := d.parse(doc)
	if err != nil {
		return nil
	}
	f, _ := parsed.frame() // also when it is of the wrong type
	var names []string
	if f.hooksCount > 1 && len(events) > 0 {
		names = append(names, "hooks")
	}
	for _, name := range events {
		if _, count := last(f.hooksKids, name); count > 1 {
			names = append(names, "hooks."+name)
		}
	}
	return names
}

// frame finds the hooks of the document; a "hooks" of the wrong type is refused.
func (d document) frame() (frame, error) {
	f := frame{document: d}
	if d.blank() {
		return f, nil
	}
	f.root = d.root()
	f.rootKids = d.kids(f.root)
	if f.hooks, f.hooksCount = last(f.rootKids, "hooks"); f.hooksCount == 0 {
		return f, nil
	}
	if d.view[f.hooks.start] != '{' {
		return f, refuse(d.text, f.hooks.start, "make it an object, with one list per event",
			`"hooks" is %s where an object is expected`, kindOf(d.view, f.hooks))
	}
	f.hooksKids = d.kids(f.hooks)
	return f, nil
}

// event finds what there is of the event called name; one of the wrong type is refused.
func (f frame) event(name string) (event, error) {
	ev := event{frame: f}
	if ev.list, ev.eventsCount = last(f.hooksKids, name); ev.eventsCount == 0 {
		return ev, nil
	}
	if f.view[ev.list.start] != '[' {
		return ev, refuse(f.text, ev.list.start, "make it a list of objects",
			"hooks.%s is %s where a list is expected", name, kindOf(f.view, ev.list))
	}
	ev.elements = f.kids(ev.list)
	for _, e := range ev.elements {
		ev.groups = append(ev.groups, f.group(e))
	}
	return ev, nil
}

func (d document) group(n node) group {
	g := group{node: n}
	if d.view[n.start] != '{' {
		return g
	}
	inner, count := last(d.kids(n), "hooks")
	if count == 0 || d.view[inner.start] != '[' {
		return g
	}
	g.list = inner
	g.elements = d.kids(inner)
	for _, e := range g.elements {
		if h, ok := d.handler(e); ok {
			g.handlers = append(g.handlers, handler{e, h})
		}
	}
	return g
}

// handler reads the handler at n; ok is false unless it is of type "command" and names one.
func (d document) handler(n node) (h Handler, ok bool) {
	if d.view[n.start] != '{' {
		return h, false
	}
	kids := d.kids(n)
	text := func(key string) string {
		k, count := last(kids, key)
		if count == 0 {
			return ""
		}
		return unquote(d.raw(k))
	}
	h.Name, h.Command = text("name"), text("command")
	if k, count := last(kids, "args"); count > 0 && d.view[k.start] == '[' {
		h.Args = []string{}
		for _, a := range d.kids(k) {
			h.Args = append(h.Args, unquote(d.raw(a)))
		}
	}
	if k, count := last(kids, "timeout"); count > 0 {
		_ = json.Unmarshal([]byte(d.raw(k)), &h.Timeout) // a timeout of the wrong type is the assistant's to refuse
	}
	return h, text("type") == "command" && h.Command != ""
}

// add appends a group with h's handler, and what has to stand around it.
func (d document) add(ev event, h Hook) []change {
	groupValue := h.Handler.group(h.Matcher)
	switch {
	case d.blank():
		s := d.style()
		all := object(item{"hooks", object(item{h.Event, list(groupValue)})})
		text := s.render(all, "")
		if d.text == "" {
			text += s.newline
		}
		return []change{{splice{0, 0, text}, all.tokens()}}
	case ev.hooksCount == 0:
		it := item{"hooks", object(item{h.Event, list(groupValue)})}
		return []change{{d.insert(ev.root, it, false), it.tokens()}}
	case ev.eventsCount == 0:
		it := item{h.Event, list(groupValue)}
		return []change{{d.insert(ev.hooks, it, true), it.tokens()}}
	}
	return []change{{d.insert(ev.list, item{value: groupValue}, true), groupValue.tokens()}}
}

// group is the value of a group that holds h alone.
func (h Handler) group(matcher string) value {
	var inner []item
	if h.Name != "" {
		inner = append(inner, item{"name", scalar(h.Name)})
	}
	inner = append(inner, item{"type", scalar("command")}, item{"command", scalar(h.Command)})
	if h.Args != nil {
		inner = append(inner, item{"args", h.args()})
	}
	if h.Timeout != 0 {
		inner = append(inner, item{"timeout", value{scalar: strconv.Itoa(h.Timeout)}})
	}
	g := []item{{"hooks", list(object(inner...))}}
	if matcher != "" {
		g = append([]item{{"matcher", scalar(matcher)}}, g...)
	}
	return object(g...)
}

func (h Handler) args() value {
	v := list()
	for _, a := range h.Args {
		v.items = append(v.items, item{value: scalar(a)})
	}
	return v
}

// rewrite gives the handler at h the command and arguments of want; all its other fields stay.
func (d document) rewrite(h handler, want Handler) []change {
	if same(h.Handler, want) {
		return nil
	}
	kids := d.kids(h.node)
	command, _ := last(kids, "command")
	var changes []change
	if h.Command != want.Command {
		v := scalar(want.Command)
		changes = append(changes, change{splice{command.start, command.end, v.scalar}, v.tokens()})
	}
	args, count := last(kids, "args")
	s := d.style()
	indent := indentOf(d.text, command.from)
	write := func(v value) string {
		if startsLine(d.text, command.from) {
			return s.render(v, indent)
		}
		return s.inline(v, padOf(d.raw(h.node)))
	}
	switch {
	case want.Args == nil && count > 0:
		changes = append(changes, d.cutAll(h.node, kids, func(k node) bool { return k.key == "args" })...)
	case want.Args != nil && count > 0:
		v := want.args()
		changes = append(changes, change{splice{args.start, args.end, write(v)}, v.tokens()})
	case want.Args != nil:
		between := s.comma
		if startsLine(d.text, command.from) {
			between = "," + s.newline + indent
		}
		it := item{"args", want.args()}
		text := between + quote(it.key) + s.colon + write(it.value)
		changes = append(changes, change{splice{command.end, command.end, text}, it.tokens()})
	}
	return changes
}
