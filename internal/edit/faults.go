package edit

import "strconv"

// HookFaults lists what is wrong with the shape of the groups and handlers under "hooks" in the events named, in the
// order of the document. What a document must not look like is the assistants' business (Claude Code 2.1.197 drops the
// whole file for one fault, Gemini CLI 0.61.0 the one handler); a type of handler that is unknown here is no fault.
func (d Dialect) HookFaults(doc []byte, events ...string) ([]*Refusal, error) {
	parsed, err := d.parse(doc)
	if err != nil {
		return nil, err
	}
	f, err := parsed.frame()
	if err != nil {
		return nil, nil //nolint:nilerr // ignored by the assistants, and refused when an event is to be edited
	}
	var faults []*Refusal
	for _, name := range events {
		ev, err := f.event(name)
		if err != nil {
			continue // likewise
		}
		for i, g := range ev.groups {
			faults = append(faults, parsed.groupFaults("hooks."+name+"["+strconv.Itoa(i)+"]", g)...)
		}
	}
	return faults, nil
}

// TypeFaults lists the members of the whole document that are not of the kind that kinds says, which is one of "an
// object", "a list", "a string", "a number" and "true or false".
func (d Dialect) TypeFaults(doc []byte, kinds map[string]string) ([]*Refusal, error) {
	parsed, err := d.parse(doc)
	if err != nil || parsed.blank() {
		return nil, err
	}
	kids := parsed.kids(parsed.root())
	var faults []*Refusal
	for _, n := range kids {
		want, known := kinds[n.key]
		if !known || kindOf(parsed.view, n) == want {
			continue
		}
		if counts, _ := last(kids, n.key); n == counts {
			faults = append(faults, parsed.wrong(n, `"`+n.key+`"`, want))
		}
	}
	return faults, nil
}

func (d document) groupFaults(name string, g group) []*Refusal {
	if d.view[g.start] != '{' {
		return []*Refusal{d.wrong(g.node, name, "an object")}
	}
	var faults []*Refusal
	kids := d.kids(g.node)
	if m, count := last(kids, "matcher"); count > 0 && d.view[m.start] != '"' {
		faults = append(faults, d.wrong(m, name+".matcher", "a string"))
	}
	inner, count := last(kids, "hooks")
	switch {
	case count == 0:
		return append(faults, refuse(d.text, g.start, `put the handler into a list called "hooks"`, `%s has no "hooks"`, name))
	case d.view[inner.start] != '[':
		return append(faults, d.wrong(inner, name+".hooks", "a list"))
	}
	for i, e := range g.elements {
		faults = append(faults, d.handlerFaults(name+".hooks["+strconv.Itoa(i)+"]", e)...)
	}
	return faults
}

func (d document) handlerFaults(name string, n node) []*Refusal {
	if d.view[n.start] != '{' {
		return []*Refusal{d.wrong(n, name, "an object")}
	}
	kids := d.kids(n)
	kind, count := last(kids, "type")
	if count == 0 {
		return []*Refusal{refuse(d.text, n.start, `give it a "type"`, `%s has no "type"`, name)}
	}
	var faults []*Refusal
	if t, count := last(kids, "timeout"); count > 0 && kindOf(d.view, t) != "a number" {
		faults = append(faults, d.wrong(t, name+".timeout", "a number"))
	}
	if unquote(d.raw(kind)) != "command" {
		return faults
	}
	command, count := last(kids, "command")
	switch {
	case count == 0:
		faults = append(faults, refuse(d.text, n.start, `give it a "command"`, `%s has no "command"`, name))
	case d.view[command.start] != '"':
		faults = append(faults, d.wrong(command, name+".command", "a string"))
	}
	return faults
}

func (d document) wrong(n node, name, want string) *Refusal {
	return refuse(d.text, n.start, "make it "+want, "%s is %s where %s is expected", name, kindOf(d.view, n), want)
}
