package settings

// kind is how a place of the file came to be, which decides what may still be added to it.
type kind uint8

const (
	implicit kind = iota // named on the way to a table
	header               // [a]
	element              // [[a]]
	dottedTo             // a of a.b = 1
	value                // a = 1, inline tables included
)

// tree remembers every key and table met so far. The parser of go-toml does not look for what is defined twice,
// and the one that does takes quadratic time (measured with go-toml 2.4.3).
type tree struct {
	places []place
	edges  map[edge]int
}

type place struct {
	kind   kind
	offset int // where it was first named
}

type edge struct {
	parent int
	name   string
}

func newTree() *tree {
	return &tree{places: []place{{kind: header}}, edges: make(map[edge]int, 48)}
}

// step goes from parent to name; a place not met before is made, of kind k.
func (t *tree) step(parent int, name string, k kind, offset int) (at int, existed bool) {
	e := edge{parent, name}
	if at, ok := t.edges[e]; ok {
		return at, true
	}
	t.places = append(t.places, place{kind: k, offset: offset})
	at = len(t.places) - 1
	t.edges[e] = at
	return at, false
}

// table enters the table of a header. When that is not allowed, ok is false and at is the place in the way.
func (t *tree) table(path []string, k kind, offset int) (at int, ok bool) {
	for i, name := range path {
		last := i == len(path)-1
		next, existed := t.step(at, name, implicit, offset)
		switch p := &t.places[next]; {
		case !last && p.kind == value:
			return next, false
		case !last:
		case k == element && existed && p.kind == element:
			t.places = append(t.places, place{kind: element, offset: offset})
			next = len(t.places) - 1
			t.edges[edge{at, name}] = next
		case existed && (p.kind != implicit || k == element):
			return next, false
		default:
			p.kind, p.offset = k, offset
		}
		at = next
	}
	return at, true
}

// key enters a key of the table at. When that is not allowed, ok is false and the place in the way is returned.
func (t *tree) key(at int, path []string, offset int) (where int, ok bool) {
	for i, name := range path {
		k := dottedTo
		if i == len(path)-1 {
			k = value
		}
		next, existed := t.step(at, name, k, offset)
		if existed && (k == value || t.places[next].kind != dottedTo) {
			return next, false
		}
		at = next
	}
	return at, true
}
