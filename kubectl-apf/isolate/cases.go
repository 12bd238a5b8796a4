package isolate

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/explain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/suite"
)

// maxCases bounds the cases of a service account that follow from its roles and the log.
const maxCases = 30

// suite returns a suite of the requests of the accounts and of others. It is an error if
// requests of others are not classified as before.
func (p *plan) suite(after configuration.Configuration, objects []Object) (*suite.Suite, error) {
	theirs, others := p.cases(), p.otherCases()
	s := &suite.Suite{
		APIVersion: suite.APIVersion, Kind: suite.Kind,
		Configuration: suite.Configuration{Release: p.Configuration.Release, Files: []string{ManifestFile(p.name)}, Seats: p.Configuration.Total},
		Cases:         slices.Concat(theirs, others),
	}
	if p.Configuration.Own {
		s.Configuration.Server = suite.FlowControlAPIServer
	}
	before, now := s.Run(p.Configuration, p.Now), s.Run(after, p.Now)
	for i := range others {
		if at := len(theirs) + i; !reflect.DeepEqual(before.Cases[at].Got, now.Cases[at].Got) {
			return nil, fmt.Errorf("the request %q of another user would move", others[i].Name)
		}
	}
	return s, p.expect(s, &now, objects)
}

// ManifestFile is the name of the file of the objects, beside the suite.
func ManifestFile(name string) string { return name + ".yaml" }

// expect sets what the cases got, and leaves out cases that get something else without the other
// objects of the cluster, which the suite does not have.
func (p *plan) expect(s *suite.Suite, got *suite.Result, objects []Object) error {
	alone, err := configuration.BuiltIn(p.Configuration.Release)
	if err != nil {
		return err
	}
	alone.Total = p.Configuration.Total
	offline := s.Run(applied(alone, objects), p.Now)
	var kept []suite.Case
	for i := range s.Cases {
		one, g := s.Cases[i], got.Cases[i].Got
		if g == nil || !reflect.DeepEqual(g, offline.Cases[i].Got) {
			continue
		}
		one.Expect = suite.Expectation{FlowSchema: g.FlowSchema, PriorityLevel: g.PriorityLevel, Flow: &g.Flow}
		kept = append(kept, one)
	}
	if left := len(s.Cases) - len(kept); left > 0 {
		p.notef("Left out of the suite: %d cases that depend on objects of the cluster that are not built in.", left)
	}
	s.Cases = kept
	return nil
}

// cases returns requests of the accounts, one of each kind.
func (p *plan) cases() []suite.Case {
	c := &caseList{plan: p, mapper: explain.Offline(), known: map[string]bool{}}
	for _, account := range p.accounts {
		c.account, c.left = account, maxCases
		c.addLeases()
		c.addEvents()
		c.addLogged()
		c.addGranted()
		c.add(suite.Request{Verb: "get", Path: "/api"})
	}
	if c.omitted > 0 {
		p.notef("Left out of the suite: %d kinds of requests beyond %d of a service account.", c.omitted, maxCases)
	}
	return c.cases
}

// caseList collects cases.
type caseList struct {
	*plan
	mapper  explain.Mapper
	account source.Account
	cases   []suite.Case
	known   map[string]bool
	// left is how many more cases the account may have.
	left, omitted int
}

// add adds a case of the account, once.
func (c *caseList) add(r suite.Request) {
	r.User = user(c.account)
	name := nameOfCase(c.account.String(), &r)
	if c.known[name] {
		return
	}
	c.known[name] = true
	c.cases = append(c.cases, suite.Case{Name: name, Request: r})
}

// addOther adds a case unless the account has enough.
func (c *caseList) addOther(r suite.Request) {
	if c.left == 0 {
		c.omitted++
		return
	}
	before := len(c.cases)
	c.add(r)
	c.left -= len(c.cases) - before
}

func nameOfCase(who string, r *suite.Request) string {
	what := cmp.Or(r.Path, r.Resource)
	if r.Group != "" {
		what += "." + r.Group
	}
	if r.Subresource != "" {
		what += "/" + r.Subresource
	}
	if r.Namespace != "" {
		what += " in " + r.Namespace
	}
	return who + ": " + r.Verb + " " + what
}

func (c *caseList) addLeases() {
	if c.leases == nil {
		return
	}
	for _, namespace := range c.leases.namespaces {
		if namespace == rbacv1.ResourceAll {
			namespace = c.account.Namespace
		}
		for _, verb := range c.leases.verbs {
			r := suite.Request{Verb: verb, Group: leaseGroup, Resource: "leases", Namespace: namespace, Name: c.name}
			if verb == "create" {
				r.Name = ""
			}
			c.add(r)
		}
	}
}

func (c *caseList) addEvents() {
	if c.events == nil {
		return
	}
	for _, group := range c.events.groups {
		c.add(suite.Request{Verb: "create", Group: group, Resource: "events", Namespace: c.account.Namespace})
		c.add(suite.Request{Verb: "patch", Group: group, Resource: "events", Namespace: c.account.Namespace, Name: "e"})
	}
}

// addLogged adds the kinds of requests of the log, the most frequent first.
func (c *caseList) addLogged() {
	for _, k := range c.usage.frequent() {
		if k.user != user(c.account) {
			continue
		}
		r := c.usage.examples[k]
		name := r.Name
		if r.Resource == "" {
			c.addOther(suite.Request{Verb: r.Verb, Path: r.Path})
			continue
		}
		c.addOther(suite.Request{Verb: r.Verb, Group: r.APIGroup, Resource: r.Resource, Subresource: r.Subresource, Namespace: r.Namespace, Name: name})
	}
}

// addGranted adds a read and a write of each resource that roles name.
func (c *caseList) addGranted() {
	for i := range c.grants {
		g := &c.grants[i]
		if g.account != c.account {
			continue
		}
		for _, group := range g.rule.APIGroups {
			for _, resource := range g.rule.Resources {
				c.addGrant(g, group, resource)
			}
		}
		for _, url := range g.rule.NonResourceURLs {
			if !strings.Contains(url, "*") && !has(g.rule.Verbs, "") {
				c.addOther(suite.Request{Verb: g.rule.Verbs[0], Path: url})
			}
		}
	}
}

func (c *caseList) addGrant(g *grant, group, resource string) {
	switch {
	case group == rbacv1.APIGroupAll:
		group, resource = "", "pods" // of any resource
	case resource == rbacv1.ResourceAll && group == "":
		resource = "configmaps"
	case resource == rbacv1.ResourceAll || strings.HasPrefix(resource, "*/"):
		return // the names are unknown
	}
	r := suite.Request{Group: group, Namespace: cmp.Or(g.namespace, c.account.Namespace), Name: "x"}
	r.Resource, r.Subresource, _ = strings.Cut(resource, "/")
	if !c.isNamespaced(group, r.Resource) {
		r.Namespace = ""
	}
	for _, verbs := range [][]string{{"list", "watch", "get"}, {"update", "patch", "create", "delete"}} {
		for _, verb := range verbs {
			isCollection := verb == "list" || verb == "watch"
			if !has(g.rule.Verbs, verb) || isCollection && r.Subresource != "" {
				continue
			}
			one := r
			if one.Verb = verb; isCollection || verb == "create" && one.Subresource == "" {
				one.Name = ""
			}
			if isCollection && g.namespace == "" {
				one.Namespace = "" // informers read all namespaces
			}
			c.addOther(one)
			break
		}
	}
}

// isNamespaced reports whether a resource is in namespaces; an unknown one is.
func (c *caseList) isNamespaced(group, resource string) bool {
	for _, r := range c.Facts.Resources {
		if r.Group == group && r.Name == resource {
			return r.Namespaced
		}
	}
	found, err := c.mapper.Find(strings.TrimSuffix(resource+"."+group, "."))
	return err != nil || found.Namespaced
}

// otherCases returns requests of others, who must not be moved.
func (p *plan) otherCases() []suite.Case {
	var cases []suite.Case
	add := func(who string, r suite.Request, name string) {
		r.User = name
		cases = append(cases, suite.Case{Name: nameOfCase(who, &r), Request: r})
	}
	namespace := p.accounts[0].Namespace
	requests := []suite.Request{
		{Verb: "list", Resource: "pods"},
		{Verb: "update", Group: leaseGroup, Resource: "leases", Namespace: namespace, Name: "x"},
		{Verb: "create", Resource: "events", Namespace: namespace},
		{Verb: "get", Path: "/readyz"},
	}
	neighbour := source.Account{Namespace: namespace, Name: p.accounts[0].Name + "-other"}
	for _, r := range requests {
		add("another service account of "+namespace, r, user(neighbour))
		add("a user", r, "alice")
		add("kube-controller-manager", r, "system:kube-controller-manager")
	}
	return cases
}
