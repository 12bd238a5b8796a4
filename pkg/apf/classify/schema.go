package classify

import (
	"cmp"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/mandatory"
)

// All is the wildcard of every list and name in a schema. In a list it must
// stand alone; beside other values it means only itself.
const All = "*"

// Schema is a flow schema: which requests it takes, to which priority level,
// and how it tells flows apart. It must not change once it is classified with.
type Schema struct {
	Name string
	UID  string
	// Level is the name of the priority level.
	Level string
	// Precedence orders schemas, 1 to 10000, smaller first.
	Precedence    int32
	Distinguisher Distinguisher
	Rules         []Rule
	// Ref is carried along for the owner, who keeps the API object there.
	Ref any
}

// Distinguisher says what tells the flows of one schema apart.
type Distinguisher int

// The distinguishers.
const (
	// ByNothing makes all requests of the schema one flow.
	ByNothing Distinguisher = iota
	// ByUser makes each user a flow, ByNamespace each namespace.
	ByUser
	ByNamespace
)

// Rule matches a request if one of its subjects does and one of its resource
// rules or, for a request that is not about a resource, one of its
// non-resource rules.
type Rule struct {
	Subjects         []Subject
	ResourceRules    []ResourceRule
	NonResourceRules []NonResourceRule
}

// Subject is who a request is from.
type Subject struct {
	Kind SubjectKind
	// Name is the user's, the group's or the service account's, or All.
	Name string
	// Namespace is that of a service account, never All.
	Namespace string
}

// SubjectKind is the kind of a Subject; any other value matches nobody.
type SubjectKind int

// The kinds of subjects.
const (
	User SubjectKind = iota + 1
	Group
	ServiceAccount
)

// ResourceRule is what a resource request is about. Every list must match.
type ResourceRule struct {
	Verbs     []string
	APIGroups []string
	// Resources are names such as "pods" or "pods/status". The former does
	// not cover the latter; All covers everything.
	Resources []string
	// ClusterScope admits requests without a namespace, Namespaces others.
	ClusterScope bool
	Namespaces   []string
}

// NonResourceRule is what any other request is about.
type NonResourceRule struct {
	Verbs []string
	// URLs are All or paths. A path covers itself and what is below it, with
	// or without "/*" at its end.
	URLs []string
}

// DistinguisherOf returns what tells the request's flow from others of the
// schema.
func (s *Schema) DistinguisherOf(a *flow.Attributes) string {
	switch s.Distinguisher {
	case ByUser:
		return a.User
	case ByNamespace:
		return a.Namespace
	default:
		return ""
	}
}

// inMatchingOrder returns the schemas in the order in which they are tried:
// exempt, then by precedence and name, then catch-all.
func inMatchingOrder(schemas []Schema, p *pace) []Schema {
	// Sort numbers, not schemas: they are large, and full of pointers.
	order := make([]int, len(schemas))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		p.spend(1)
		a, b := &schemas[i], &schemas[j]
		return cmp.Or(
			cmp.Compare(tier(a.Name), tier(b.Name)),
			cmp.Compare(a.Precedence, b.Precedence),
			cmp.Compare(a.Name, b.Name),
			cmp.Compare(i, j),
		)
	})
	sorted := make([]Schema, len(schemas))
	for rank, i := range order {
		sorted[rank] = schemas[i]
	}
	return sorted
}

func tier(name string) int {
	switch name {
	case mandatory.Exempt:
		return 0
	case mandatory.CatchAll:
		return 2
	default:
		return 1
	}
}
