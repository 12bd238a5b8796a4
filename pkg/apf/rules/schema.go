package rules

import (
	"cmp"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// All is the wildcard of every list and name in a schema. In a list it must be the
// only value; beside other values it is a literal.
const All = "*"

// Schema is a flow schema: which requests it matches, their priority level, and how
// they are divided into flows.
type Schema struct {
	Name string
	UID  string
	// Level is the name of the priority level.
	Level string
	// Precedence orders schemas, 1 to 10000, smaller first.
	Precedence    int32
	Distinguisher Distinguisher
	Rules         []Rule
	// Ref is the API object, for the caller; the engine does not use it.
	Ref any
}

// Distinguisher says how the requests of one schema are divided into flows.
type Distinguisher int

// The distinguishers.
const (
	// ByNothing puts all requests of the schema into one flow.
	ByNothing Distinguisher = iota
	// ByUser gives each user a flow.
	ByUser
	// ByNamespace gives each namespace a flow.
	ByNamespace
)

// Rule matches a request if one of its subjects matches, and one of its resource
// rules or, for a non-resource request, one of its non-resource rules.
type Rule struct {
	Subjects         []Subject
	ResourceRules    []ResourceRule
	NonResourceRules []NonResourceRule
}

// ServiceAccountPrefix begins the user name of a service account, before its namespace, a
// colon and its name.
const ServiceAccountPrefix = "system:serviceaccount:"

// Subject matches the sender of a request.
type Subject struct {
	Kind SubjectKind
	// Name is the user's, the group's or the service account's, or All.
	Name string
	// Namespace is a service account's, never All.
	Namespace string
}

// SubjectKind is the kind of a Subject. Unknown values match nobody.
type SubjectKind int

// The kinds of subjects.
const (
	User SubjectKind = iota + 1
	Group
	ServiceAccount
)

// ResourceRule matches resource requests. Every list must match.
type ResourceRule struct {
	Verbs     []string
	APIGroups []string
	// Resources are names such as "pods" or "pods/status". The former does
	// not cover the latter; All covers everything.
	Resources []string
	// ClusterScope matches requests without a namespace, Namespaces the others.
	ClusterScope bool
	Namespaces   []string
}

// NonResourceRule matches non-resource requests. Both lists must match.
type NonResourceRule struct {
	Verbs []string
	// URLs are All or paths. A path covers itself and everything below it, with or
	// without "/*" at its end.
	URLs []string
}

// DistinguisherOf returns the flow distinguisher of a request.
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

// Compare returns the matching order of two schemas: negative if a comes first. exempt is first,
// then they are ordered by precedence and name, and catch-all is last.
func Compare(a, b *Schema) int {
	return cmp.Or(
		cmp.Compare(tier(a.Name), tier(b.Name)),
		cmp.Compare(a.Precedence, b.Precedence),
		cmp.Compare(a.Name, b.Name),
	)
}

func tier(name string) int {
	switch name {
	case Exempt:
		return 0
	case CatchAll:
		return 2
	default:
		return 1
	}
}
