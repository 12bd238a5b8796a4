package classify

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

func TestSchemasAreInMatchingOrder(t *testing.T) {
	c := New([]rules.Schema{
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
		by   rules.Distinguisher
		want string
	}{
		"nothing tells the flows apart": {rules.ByNothing, ""},
		"each user is a flow":           {rules.ByUser, "alice"},
		"each namespace is a flow":      {rules.ByNamespace, "ns"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, (&rules.Schema{Distinguisher: c.by}).DistinguisherOf(a))
		})
	}
}

// TestRulesMean checks single rules against the documentation of the API.
func TestRulesMean(t *testing.T) {
	anybody := []rules.Subject{{Kind: rules.Group, Name: rules.All}}
	pods := rules.ResourceRule{Verbs: all, APIGroups: all, Resources: []string{"pods"}, ClusterScope: true, Namespaces: all}
	with := func(change func(*rules.ResourceRule)) rules.Rule {
		r := pods
		change(&r)
		return rules.Rule{Subjects: anybody, ResourceRules: []rules.ResourceRule{r}}
	}
	urls := func(urls ...string) rules.Rule {
		return rules.Rule{Subjects: anybody, NonResourceRules: []rules.NonResourceRule{{Verbs: all, URLs: urls}}}
	}
	by := func(s rules.Subject) rules.Rule {
		return rules.Rule{Subjects: []rules.Subject{s}, ResourceRules: []rules.ResourceRule{pods}}
	}
	request := flow.Attributes{
		User: "system:serviceaccount:ns:sa", Groups: []string{"g", "h"}, Verb: "get",
		IsResourceRequest: true, Resource: "pods", Namespace: "ns", Path: "/healthz/etcd",
	}
	for name, c := range map[string]struct {
		rule   rules.Rule
		change func(*flow.Attributes)
		want   bool
	}{
		"a resource covers itself":                     {rule: with(func(*rules.ResourceRule) {}), want: true},
		"a resource does not cover its subresources":   {rule: with(func(*rules.ResourceRule) {}), change: func(a *flow.Attributes) { a.Subresource = "status" }},
		"a subresource may be named":                   {rule: with(func(r *rules.ResourceRule) { r.Resources = []string{"pods/status"} }), change: func(a *flow.Attributes) { a.Subresource = "status" }, want: true},
		"all resources cover subresources too":         {rule: with(func(r *rules.ResourceRule) { r.Resources = all }), change: func(a *flow.Attributes) { a.Subresource = "status" }, want: true},
		"a wildcard in company is but a word":          {rule: with(func(r *rules.ResourceRule) { r.Resources = []string{"*", "nodes"} })},
		"an empty list matches nothing":                {rule: with(func(r *rules.ResourceRule) { r.Verbs = nil })},
		"all namespaces do not cover cluster scope":    {rule: with(func(r *rules.ResourceRule) { r.ClusterScope = false }), change: func(a *flow.Attributes) { a.Namespace = "" }},
		"cluster scope covers requests without one":    {rule: with(func(r *rules.ResourceRule) { r.Namespaces = nil }), change: func(a *flow.Attributes) { a.Namespace = "" }, want: true},
		"cluster scope does not cover namespaces":      {rule: with(func(r *rules.ResourceRule) { r.Namespaces = nil })},
		"resource rules are not for other requests":    {rule: with(func(*rules.ResourceRule) {}), change: func(a *flow.Attributes) { a.IsResourceRequest = false }},
		"other rules are not for resources":            {rule: urls(rules.All)},
		"a user by name":                               {rule: by(rules.Subject{Kind: rules.User, Name: "system:serviceaccount:ns:sa"}), want: true},
		"any user":                                     {rule: by(rules.Subject{Kind: rules.User, Name: rules.All}), want: true},
		"a group by name":                              {rule: by(rules.Subject{Kind: rules.Group, Name: "h"}), want: true},
		"a group that the user is not in":              {rule: by(rules.Subject{Kind: rules.Group, Name: "i"})},
		"a service account":                            {rule: by(rules.Subject{Kind: rules.ServiceAccount, Namespace: "ns", Name: "sa"}), want: true},
		"all service accounts of a namespace":          {rule: by(rules.Subject{Kind: rules.ServiceAccount, Namespace: "ns", Name: rules.All}), want: true},
		"all service accounts of a shorter namespace":  {rule: by(rules.Subject{Kind: rules.ServiceAccount, Namespace: "n", Name: rules.All})},
		"a subject of no kind":                         {rule: by(rules.Subject{Name: rules.All})},
		"an exact path":                                {rule: urls("/healthz/etcd"), change: func(a *flow.Attributes) { a.IsResourceRequest = false }, want: true},
		"what is below a path":                         {rule: urls("/healthz/*"), change: func(a *flow.Attributes) { a.IsResourceRequest = false }, want: true},
		"what is below a path without saying, as peer": {rule: urls("/healthz"), change: func(a *flow.Attributes) { a.IsResourceRequest = false }, want: true},
		"what only begins like a path":                 {rule: urls("/heal/*"), change: func(a *flow.Attributes) { a.IsResourceRequest = false }},
		"all paths":                                    {rule: urls(rules.All), change: func(a *flow.Attributes) { a.IsResourceRequest = false }, want: true},
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
			schemas := []rules.Schema{{Name: "s", Rules: []rules.Rule{c.rule}}}
			assert.Equal(t, want, New(schemas).Match(&a))
			assert.Equal(t, want, scan([]*rules.Schema{&schemas[0]}, &a))
		})
	}
}
