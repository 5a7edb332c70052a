package edit

import "strings"

// DropHooks returns doc without the handlers that are ours, in any event, and without the group, the list and the "hooks"
// that hold nothing else. A list or a "hooks" that is empty in before, which is what doc once was, is left empty instead;
// before may be nil.
func (d Dialect) DropHooks(doc, before []byte, ours func(Handler) bool) ([]byte, error) {
	found, err := d.Hooks(doc)
	if err != nil {
		return nil, err
	}
	var hooks []Hook
	seen := map[string]bool{}
	for _, f := range found {
		if !seen[f.Event] && ours(f.Handler) {
			seen[f.Event] = true
			hooks = append(hooks, Hook{Event: f.Event})
		}
	}
	for _, h := range hooks {
		if doc, err = d.setHook(doc, h, ours, d.vacancies(before, h.Event)); err != nil {
			return nil, err
		}
	}
	return doc, d.holds(doc, hooks, ours)
}

// vacancy is what stays, though it is empty.
type vacancy struct{ list, hooks bool }

// vacancies tells what of an event is empty in doc.
func (d Dialect) vacancies(doc []byte, event string) vacancy {
	parsed, err := d.parse(doc)
	if err != nil {
		return vacancy{}
	}
	f, err := parsed.frame()
	if err != nil || f.hooksCount == 0 {
		return vacancy{}
	}
	ev, err := f.event(event)
	if err != nil {
		return vacancy{}
	}
	return vacancy{list: ev.eventsCount > 0 && len(ev.elements) == 0, hooks: len(ev.hooksKids) == 0}
}

// remove takes the handlers out, and the group, the list and the "hooks" that hold nothing else, be it a comment, unless
// keep says so. Of a name that stands twice the last member is emptied instead, since without it the earlier one would
// come to life.
func (d document) remove(ev event, victims []handler, keep vacancy) []change {
	gone := map[int]bool{} // by where they begin
	for _, v := range victims {
		gone[v.start] = true
	}
	var inGroups []change
	empty := map[int]bool{}
	for _, g := range ev.groups {
		cuts := d.cutAll(g.list, g.elements, func(n node) bool { return gone[n.start] })
		switch {
		case len(cuts) == 0:
		case len(g.elements) == countOf(g.elements, gone) && !d.commented(g.node, victims):
			empty[g.start] = true
		default:
			inGroups = append(inGroups, cuts...)
		}
	}
	isEmpty := func(n node) bool { return empty[n.start] }
	switch {
	case len(ev.elements) != countOf(ev.elements, empty):
		return append(inGroups, d.cutAll(ev.list, ev.elements, isEmpty)...)
	case ev.eventsCount > 1 || keep.list || d.commented(ev.list, victims):
		return d.emptied(ev.list)
	case len(ev.hooksKids) > 1:
		return d.cutAll(ev.hooks, ev.hooksKids, func(n node) bool { return n == ev.list })
	case ev.hooksCount > 1 || keep.hooks || d.commented(ev.hooks, victims):
		return d.emptied(ev.hooks)
	}
	return d.cutAll(ev.root, ev.rootKids, func(n node) bool { return n == ev.hooks })
}

// commented tells whether there is a comment in n outside of the handlers, which are in the order of the text.
func (d document) commented(n node, handlers []handler) bool {
	at := n.start
	for _, h := range handlers {
		if h.start >= n.start && h.end <= n.end {
			if d.comments(at, h.start) != "" {
				return true
			}
			at = h.end
		}
	}
	return d.comments(at, n.end) != ""
}

func countOf(nodes []node, set map[int]bool) int {
	n := 0
	for _, e := range nodes {
		if set[e.start] {
			n++
		}
	}
	return n
}

// cutAll takes the children for which victim is true out of in. What it deletes is what insert would have put there: from
// the end of the sibling before, or, at the beginning, to the start of the sibling after; comments between them stay.
func (d document) cutAll(in node, kids []node, victim func(node) bool) []change {
	var changes []change
	for i := 0; i < len(kids); i++ {
		first := i
		for i < len(kids) && victim(kids[i]) {
			i++
		}
		switch {
		case i == first:
		case first > 0:
			changes = append(changes, d.cut(kids[first-1].end, kids[first:i], kids[i-1].end))
		case i < len(kids):
			changes = append(changes, d.cut(kids[0].from, kids[:i], kids[i].from))
		default:
			return d.emptied(in)
		}
	}
	return changes
}

// emptied deletes everything but comments between the brackets of n.
func (d document) emptied(n node) []change {
	start, end := d.inner(n)
	return []change{d.cut(start, d.kids(n), end)}
}

// cut deletes the nodes from start to end with what stands between them, unless that is a comment.
func (d document) cut(start int, nodes []node, end int) change {
	var left strings.Builder
	at := start
	for _, n := range nodes {
		left.WriteString(d.comments(at, n.from))
		at = n.end
	}
	left.WriteString(d.comments(at, end))
	return change{splice: splice{start, end, left.String()}}
}

// comments returns the text from start to end without its comma if there is a comment in it, else nothing.
func (d document) comments(start, end int) string {
	if d.text[start:end] == d.view[start:end] {
		return ""
	}
	if comma := strings.IndexByte(d.view[start:end], ','); comma >= 0 {
		return d.text[start:start+comma] + d.text[start+comma+1:end]
	}
	return d.text[start:end]
}
