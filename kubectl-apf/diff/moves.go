package diff

import (
	"cmp"
	"slices"

	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// route is a move without its requests.
type route struct{ from, to Place }

// moves counts the requests that move.
type moves struct {
	checked, moved int
	byRoute        map[route]*moveTally
	// users are the names of those whose requests move.
	users map[string]bool
}

// moveTally counts the requests of one move.
type moveTally struct {
	count                               int
	users, verbs, resources, namespaces tally
	// unlikely are the resources that no rule names with their API group.
	unlikely tally
}

// kind is what is shown of a request, and the name of its user.
type kind struct {
	name, user, verb, resource, namespace string
	// unlikely reports whether the resource may not exist.
	unlikely bool
}

func (m *moves) add(r route, k kind) {
	if m.byRoute == nil {
		m.byRoute, m.users = map[route]*moveTally{}, map[string]bool{}
	}
	t := m.byRoute[r]
	if t == nil {
		t = &moveTally{}
		m.byRoute[r] = t
	}
	m.moved++
	m.users[k.name] = true
	t.count++
	t.users.add(k.user)
	t.verbs.add(k.verb)
	if k.unlikely {
		t.unlikely.add(k.resource)
	} else {
		t.resources.add(k.resource)
	}
	if k.namespace != "" {
		t.namespaces.add(k.namespace)
	}
}

// result returns the moves, the most frequent first.
func (m *moves) result() []Move {
	all := make([]Move, 0, len(m.byRoute))
	for r, t := range m.byRoute {
		resources := t.resources
		if len(resources) == 0 {
			resources = t.unlikely
		}
		all = append(all, Move{
			From: r.from, To: r.to, Count: t.count,
			Users: t.users.top(), Verbs: t.verbs.top(), Resources: resources.top(), Namespaces: t.namespaces.top(),
		})
	}
	slices.SortFunc(all, func(a, b Move) int {
		return cmp.Or(
			cmp.Compare(b.Count, a.Count),
			cmp.Compare(a.From.FlowSchema, b.From.FlowSchema),
			cmp.Compare(a.To.FlowSchema, b.To.FlowSchema),
			cmp.Compare(a.From.PriorityLevel, b.From.PriorityLevel),
			cmp.Compare(a.To.PriorityLevel, b.To.PriorityLevel),
		)
	})
	return all
}

// resourceOf returns the resource of a request, such as "pods/status" or
// "deployments.apps", or its path.
func resourceOf(a *flow.Attributes) string {
	if !a.IsResourceRequest {
		return a.Path
	}
	name := kschema.GroupResource{Group: a.APIGroup, Resource: a.Resource}.String()
	if a.Subresource != "" {
		name += "/" + a.Subresource
	}
	return name
}
