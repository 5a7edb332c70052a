package chainlog

import (
	"fmt"
	"strings"
)

// group is a row of neighbours that say the same; n of them, the last at index last.
type group struct{ last, n int }

// more says that there are others than the one shown.
func (g group) more() string { return More(g.n - 1) }

// More says that n others, just before, are the same; "" for none.
func More(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" … %d more", n)
}

// Shown is how many groups of neighbours are shown of what there may be many of, unless all is asked for.
const Shown = 5

// grouped puts n things in their order into groups of identical neighbours; each by itself where everything is shown.
func (v View) grouped(n int, same func(i, j int) bool) []group {
	var groups []group
	for i := range n {
		if k := len(groups) - 1; !v.All && k >= 0 && same(groups[k].last, i) {
			groups[k] = group{i, groups[k].n + 1}
			continue
		}
		groups = append(groups, group{i, 1})
	}
	return groups
}

// latest returns the latest groups and says how many things stand before them.
func (v View) latest(b *strings.Builder, groups []group, name string) []group {
	hidden := 0
	for !v.All && len(groups) > Shown {
		hidden += groups[0].n
		groups = groups[1:]
	}
	if hidden > 0 {
		fmt.Fprintf(b, "\n%s before these (vomgr log --all)\n", count(hidden, name))
	}
	return groups
}
