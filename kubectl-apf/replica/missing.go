package replica

import (
	"slices"
	"strings"
)

// MissingNotes returns sentences about what replicas do not tell, of what is kept. Replicas that lack the same
// for the same reason have one.
func MissingNotes(replicas []Replica, keep func(Missing) bool) []string {
	type group struct{ names, whats, why string }
	var groups []group
	add := func(name string, m Missing) {
		at := slices.IndexFunc(groups, func(g group) bool { return g.whats == m.What && g.why == m.Why })
		if at < 0 {
			groups = append(groups, group{name, m.What, m.Why})
			return
		}
		if g := &groups[at]; !slices.Contains(strings.Split(g.names, ", "), name) {
			g.names += ", " + name
		}
	}
	for i := range replicas {
		for _, m := range replicas[i].Missing {
			if keep(m) {
				add(replicas[i].Name, m)
			}
		}
	}
	var notes []string
	for len(groups) > 0 {
		first, rest := groups[0], []group(nil)
		for _, g := range groups[1:] {
			if g.names == first.names && g.why == first.why {
				first.whats += ", " + g.whats
			} else {
				rest = append(rest, g)
			}
		}
		notes = append(notes, first.names+": "+first.whats+": "+first.why)
		groups = rest
	}
	return notes
}
