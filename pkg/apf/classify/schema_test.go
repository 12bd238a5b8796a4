package classify

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

func TestSchemasAreInMatchingOrder(t *testing.T) {
	c := New([]Schema{
		{Name: "catch-all", Precedence: 7},
		{Name: "b", Precedence: 10},
		{Name: "last", Precedence: 10000},
		{Name: "a", Precedence: 10},
		{Name: "first", Precedence: 1},
		{Name: "exempt", Precedence: 9000},
	})
	var names []string
	for _, s := range c.Schemas() {
		names = append(names, s.Name)
	}
	assert.Equal(t, []string{"exempt", "first", "a", "b", "last", "catch-all"}, names)
}

func TestDistinguisherOf(t *testing.T) {
	a := &flow.Attributes{User: "alice", Namespace: "ns"}
	for name, c := range map[string]struct {
		by   Distinguisher
		want string
	}{
		"nothing tells the flows apart": {ByNothing, ""},
		"each user is a flow":           {ByUser, "alice"},
		"each namespace is a flow":      {ByNamespace, "ns"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, (&Schema{Distinguisher: c.by}).DistinguisherOf(a))
		})
	}
}

// TestRulesMean checks single rules against the documentation of the API.
func TestRulesMean(t *testing.T) {
	anybody := []Subject{{Kind: Group, Name: All}}
	pods := ResourceRule{Verbs: all, APIGroups: all, Resources: []string{"pods"}, ClusterScope: true, Namespaces: all}
	with := func(change func(*ResourceRule)) Rule {
		r := pods
		change(&r)
		return Rule{Subjects: anybody, ResourceRules: []ResourceRule{r}}
	}
	urls := func(urls ...string) Rule {
		return Rule{Subjects: anybody, NonResourceRules: []NonResourceRule{{Verbs: all, URLs: urls}}}
	}
	by := func(s Subject) Rule { return Rule{Subjects: []Subject{s}, ResourceRules: []ResourceRule{pods}} }
	request := flow.Attributes{
		User: "system:serviceaccount:ns:sa", Groups: []string{"g", "h"}, Verb: "get",
		IsResourceRequest: true, Resource: "pods", Namespace: "ns", Path: "/healthz/etcd",
	}
	for name, c := range map[string]struct {
		rule   Rule
		change func(*flow.Attributes)
		want   bool
	}{
		"a resource covers itself":                     {rule: with(func(*ResourceRule) {}), want: true},
		"a resource does not cover its subresources":   {rule: with(func(*ResourceRule) {}), change: func(a *flow.Attributes) { a.Subresource = "status" }},
		"a subresource may be named":                   {rule: with(func(r *ResourceRule) { r.Resources = []string{"pods/status"} }), change: func(a *flow.Attributes) { a.Subresource = "status" }, want: true},
		"all resources cover subresources too":         {rule: with(func(r *ResourceRule) { r.Resources = all }), change: func(a *flow.Attributes) { a.Subresource = "status" }, want: true},
		"a wildcard in company is but a word":          {rule: with(func(r *ResourceRule) { r.Resources = []string{"*", "nodes"} })},
		"an empty list matches nothing":                {rule: with(func(r *ResourceRule) { r.Verbs = nil })},
		"all namespaces do not cover cluster scope":    {rule: with(func(r *ResourceRule) { r.ClusterScope = false }), change: func(a *flow.Attributes) { a.Namespace = "" }},
		"cluster scope covers requests without one":    {rule: with(func(r *ResourceRule) { r.Namespaces = nil }), change: func(a *flow.Attributes) { a.Namespace = "" }, want: true},
		"cluster scope does not cover namespaces":      {rule: with(func(r *ResourceRule) { r.Namespaces = nil })},
		"resource rules are not for other requests":    {rule: with(func(*ResourceRule) {}), change: func(a *flow.Attributes) { a.IsResourceRequest = false }},
		"other rules are not for resources":            {rule: urls(All)},
		"a user by name":                               {rule: by(Subject{Kind: User, Name: "system:serviceaccount:ns:sa"}), want: true},
		"any user":                                     {rule: by(Subject{Kind: User, Name: All}), want: true},
		"a group by name":                              {rule: by(Subject{Kind: Group, Name: "h"}), want: true},
		"a group that the user is not in":              {rule: by(Subject{Kind: Group, Name: "i"})},
		"a service account":                            {rule: by(Subject{Kind: ServiceAccount, Namespace: "ns", Name: "sa"}), want: true},
		"all service accounts of a namespace":          {rule: by(Subject{Kind: ServiceAccount, Namespace: "ns", Name: All}), want: true},
		"all service accounts of a shorter namespace":  {rule: by(Subject{Kind: ServiceAccount, Namespace: "n", Name: All})},
		"a subject of no kind":                         {rule: by(Subject{Name: All})},
		"an exact path":                                {rule: urls("/healthz/etcd"), change: func(a *flow.Attributes) { a.IsResourceRequest = false }, want: true},
		"what is below a path":                         {rule: urls("/healthz/*"), change: func(a *flow.Attributes) { a.IsResourceRequest = false }, want: true},
		"what is below a path without saying, as peer": {rule: urls("/healthz"), change: func(a *flow.Attributes) { a.IsResourceRequest = false }, want: true},
		"what only begins like a path":                 {rule: urls("/heal/*"), change: func(a *flow.Attributes) { a.IsResourceRequest = false }},
		"all paths":                                    {rule: urls(All), change: func(a *flow.Attributes) { a.IsResourceRequest = false }, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			a := request
			if c.change != nil {
				c.change(&a)
			}
			want := -1
			if c.want {
				want = 0
			}
			schemas := []Schema{{Name: "s", Rules: []Rule{c.rule}}}
			assert.Equal(t, want, New(schemas).Match(&a))
			assert.Equal(t, want, scan(schemas, &a))
		})
	}
}
