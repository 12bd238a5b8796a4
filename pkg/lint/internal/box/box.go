package box

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
)

// kind is a kind of requests. A box has requests of one kind.
type kind int

const (
	inNamespace kind = iota // for resources, with a namespace
	inCluster               // for resources, without a namespace
	ofURL                   // not for resources
)

// list is a set of strings of a box.
type list interface {
	// elements are the elements; one may be a wildcard.
	elements() []string
	// covers reports whether every value that an element stands for is in the set.
	covers(element string) bool
	// intersects reports whether some value is in both sets, and meet returns them.
	intersects(other list) bool
	meet(other list) []string
}

var (
	_ list = (*values)(nil)
	_ list = (*urls)(nil)
)

// Box is a product of sets of users, verbs and, by its kind, of namespaces, resources and API
// groups, of resources and API groups, or of URLs. It shares the lists of the rule that it is
// made of.
type Box struct {
	kind  kind
	users *Users
	// lists are in the order they are compared: the more selective first.
	lists []list
	// steps is what a look at each element costs.
	steps int
}

func newBox(kind kind, users *Users, lists ...list) Box {
	b := Box{kind: kind, users: users, lists: lists, steps: len(users.sets)}
	for _, one := range lists {
		b.steps += stepsOf(one.elements())
	}
	return b
}

// stepsOf returns what a look at each element costs. Long ones take longer.
func stepsOf(elements []string) int {
	steps := len(elements)
	for _, element := range elements {
		steps += len(element) / bytesPerStep
	}
	return steps
}

// bytesPerStep is how much of a string is compared in a step.
const bytesPerStep = 64

// OfRule returns the boxes of a rule.
func OfRule(users *Users, rule *flowcontrolv1.PolicyRulesWithSubjects) []Box {
	boxes := make([]Box, 0, len(rule.ResourceRules)+len(rule.NonResourceRules))
	for i := range rule.ResourceRules {
		boxes = append(boxes, OfResources(users, &rule.ResourceRules[i])...)
	}
	for i := range rule.NonResourceRules {
		r := &rule.NonResourceRules[i]
		url, verbs := newURLs(r.NonResourceURLs), newValues(r.Verbs)
		boxes = append(boxes, newBox(ofURL, users, &url, &verbs))
	}
	return boxes
}

// OfResources returns the boxes of a resource rule, which has one for requests with a namespace
// and one for those without.
func OfResources(users *Users, rule *flowcontrolv1.ResourcePolicyRule) []Box {
	resources, groups, verbs := newValues(rule.Resources), newValues(rule.APIGroups), newValues(rule.Verbs)
	common := []list{&resources, &groups, &verbs}
	boxes := make([]Box, 0, 2)
	if rule.ClusterScope {
		boxes = append(boxes, newBox(inCluster, users, common...))
	}
	if len(rule.Namespaces) > 0 {
		namespaces := newValues(rule.Namespaces)
		boxes = append(boxes, newBox(inNamespace, users, append([]list{&namespaces}, common...)...))
	}
	return boxes
}

// WithoutNamespace returns the boxes of requests for resources that have no namespace.
func WithoutNamespace(boxes []Box) []Box {
	var found []Box
	for i := range boxes {
		if boxes[i].kind == inCluster {
			found = append(found, boxes[i])
		}
	}
	return found
}

// Steps returns what a look at each element of the boxes costs.
func Steps(boxes []Box) int {
	steps := 0
	for i := range boxes {
		steps += boxes[i].steps
	}
	return steps
}

// isEmpty reports whether the box has no request.
func (b *Box) isEmpty() bool {
	for _, one := range b.lists {
		if len(one.elements()) == 0 {
			return true
		}
	}
	return len(b.users.sets) == 0
}

// intersects reports whether some request is in both boxes. If sure is not set, users may be in
// any groups.
func (b *Box) intersects(other *Box, sure bool) bool {
	if b.kind != other.kind {
		return false
	}
	for i := range b.lists {
		if !b.lists[i].intersects(other.lists[i]) {
			return false
		}
	}
	return b.users.intersects(other.users, sure)
}

// meet returns the requests that are in both boxes, empty if there are none. See Users.meet. It
// is only for Index.Cover.
func (b *Box) meet(other *Box) Box {
	if b.kind != other.kind || !b.users.intersects(other.users, true) {
		return Box{users: &Users{}}
	}
	met := make([]list, len(b.lists))
	for i := range b.lists {
		elements := newValues(b.lists[i].meet(other.lists[i]))
		met[i] = &elements
	}
	return newBox(b.kind, b.users.meet(other.users), met...)
}
