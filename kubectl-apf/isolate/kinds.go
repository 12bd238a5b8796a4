package isolate

import (
	"maps"
	"slices"
)

const (
	leaseGroup  = "coordination.k8s.io"
	eventsGroup = "events.k8s.io"
	// leaseLevel is the built-in level of leader elections.
	leaseLevel = "leader-election"
)

// leaseVerbs are the verbs of a leader election by leases.
func leaseVerbs() []string { return []string{"get", "create", "update"} }

// eventVerbs are the verbs that write events.
func eventVerbs() []string { return []string{"create", "update", "patch"} }

// isLease reports whether a request is one of a leader election. client-go does not patch
// leases, but others do.
func isLease(verb, group, resource, subresource string) bool {
	return group == leaseGroup && resource == "leases" && subresource == "" && (verb == "patch" || slices.Contains(leaseVerbs(), verb))
}

// isEvent reports whether a request writes an event.
func isEvent(verb, group, resource, subresource string) bool {
	return (group == "" || group == eventsGroup) && resource == "events" && subresource == "" && slices.Contains(eventVerbs(), verb)
}

// leases are the requests of leader elections.
type leases struct {
	verbs      []string
	namespaces []string
	why        string
}

// findLeases sets the requests of leader elections: in the namespaces where roles allow to update
// leases, and in the log's namespaces where a role allows it everywhere.
func (p *plan) findLeases() {
	var allowed, seen scope
	for i := range p.grants {
		if g := &p.grants[i]; g.allows("update", leaseGroup, "leases") {
			allowed.add(g.namespace)
		}
	}
	verbs := leaseVerbs()
	for verb, namespaces := range p.usage.leases {
		for namespace := range namespaces.namespaces {
			seen.add(namespace)
		}
		if !slices.Contains(verbs, verb) {
			verbs = append(verbs, verb)
		}
	}
	l := &leases{verbs: verbs, why: "Its roles allow updates of leases in these namespaces."}
	switch {
	case allowed.isEmpty() && seen.isEmpty():
		p.notef("It has no right to update leases, so no flow schema is made for leader election.")
		return
	case allowed.everywhere && !seen.isEmpty():
		allowed.everywhere = false
		l.why = "Its roles allow updates of leases in all namespaces; these are the namespaces of the log and of its other roles."
	case allowed.everywhere:
		l.why = "Its roles allow updates of leases in all namespaces, and no log says which it uses: these are all."
	}
	for namespace := range seen.namespaces {
		allowed.add(namespace)
	}
	l.namespaces = allowed.list()
	if !p.current.hasLevel(leaseLevel) {
		p.notef("The priority level %q does not exist, so leases are in the operator's level: create it again, and repeat this.", leaseLevel)
		return
	}
	p.leases = l
}

// events are the writes of events.
type events struct {
	groups     []string
	level, why string
}

// findEvents sets the writes of events.
func (p *plan) findEvents() {
	groups := maps.Clone(p.usage.events)
	for _, group := range []string{"", eventsGroup} {
		for i := range p.grants {
			if p.grants[i].allows("create", group, "events") {
				groups[group] = true
			}
		}
	}
	if len(groups) == 0 {
		p.notef("It has no right to create events, so no flow schema is made for them.")
		return
	}
	level, why := p.current.eventLevel(p.accounts)
	p.events = &events{groups: slices.Sorted(maps.Keys(groups)), level: level, why: why}
}
