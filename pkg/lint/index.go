package lint

import (
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// index finds the schemas among many that may match the requests of a schema. It holds, for each
// value in each place of a rule, the rows that cover the value. The rows that cover a tuple are the
// intersection over its places. See the package comment.
type index struct {
	schemas []*flowcontrolv1.FlowSchema // in matching order
	rows    []row
	// first is the first row of each schema, tied the first schema that names decide
	// against.
	first, tied []int

	users map[rules.Users]*numbers
	kinds map[rules.UsersKind]*numbers

	verbs, apiGroups, resources, namespaces, clusterScope, urls place
	// below holds the rows of URLs by the prefix of the paths below them.
	below map[string]*numbers

	found, covering rowSet // reused by each search
}

// row is a resource rule or a non-resource rule of a schema.
type row struct {
	schema   int
	rule     *flowcontrolv1.PolicyRulesWithSubjects
	resource *flowcontrolv1.ResourcePolicyRule // nil if it is a non-resource rule
}

// newIndex returns the index of the schemas that take part in matching, which are in
// matching order.
func newIndex(schemas []*flowcontrolv1.FlowSchema, levelExists func(string) bool) *index {
	x := &index{
		schemas: schemas, first: make([]int, len(schemas)), tied: make([]int, len(schemas)),
		users: map[rules.Users]*numbers{}, kinds: map[rules.UsersKind]*numbers{}, below: map[string]*numbers{},
	}
	for i, schema := range schemas {
		x.first[i], x.tied[i] = len(x.rows), i
		if i > 0 && !isMandatorySchema(schemas[i-1].Name) && schemas[i-1].Spec.MatchingPrecedence == schema.Spec.MatchingPrecedence {
			x.tied[i] = x.tied[i-1]
		}
		if levelExists(schema.Spec.PriorityLevelConfiguration.Name) {
			for k := range schema.Spec.Rules {
				x.insert(i, &schema.Spec.Rules[k])
			}
		}
	}
	x.densify()
	x.found, x.covering = make(rowSet, words(len(x.rows))), make(rowSet, words(len(x.rows)))
	return x
}

// densify turns long lists into sets.
func (x *index) densify() {
	count := len(x.rows)
	for _, p := range []*place{&x.verbs, &x.apiGroups, &x.resources, &x.namespaces, &x.clusterScope, &x.urls} {
		p.all.densify(count)
		densifyEach(p.values, count)
	}
	densifyEach(x.users, count)
	densifyEach(x.kinds, count)
	densifyEach(x.below, count)
}

func densifyEach[K comparable](all map[K]*numbers, count int) {
	for _, n := range all {
		n.densify(count)
	}
}

func (x *index) insert(schema int, rule *flowcontrolv1.PolicyRulesWithSubjects) {
	first := len(x.rows)
	for i := range rule.ResourceRules {
		r, number := &rule.ResourceRules[i], int32(len(x.rows))
		x.rows = append(x.rows, row{schema: schema, rule: rule, resource: r})
		x.verbs.insert(r.Verbs, number)
		x.apiGroups.insert(r.APIGroups, number)
		x.resources.insert(r.Resources, number)
		x.namespaces.insert(r.Namespaces, number)
		if r.ClusterScope {
			x.clusterScope.all.append(number)
		}
	}
	for i := range rule.NonResourceRules {
		r, number := &rule.NonResourceRules[i], int32(len(x.rows))
		x.rows = append(x.rows, row{schema: schema, rule: rule})
		x.verbs.insert(r.Verbs, number)
		for _, url := range r.NonResourceURLs {
			if url == wildcard {
				x.urls.all.append(number)
				continue
			}
			x.urls.insert([]string{url}, number)
			entry(x.below, rules.Below(url)).append(number)
		}
	}
	for _, users := range usersOfAll(rule.Subjects) {
		for number := first; number < len(x.rows); number++ {
			entry(x.users, users).append(int32(number))
			entry(x.kinds, users.Kind).append(int32(number))
		}
	}
}

// candidates returns schemas before the one at the index. Each covers one of its tuples, and
// together they cover all; nil if no schemas do, or if there are too many tuples.
func (x *index) candidates(at int) []*flowcontrolv1.FlowSchema {
	limit := x.first[at]
	var covering []int
	tries, taken := 0, true
	forEachTuple(x.schemas[at], func(t tuple) bool {
		tries++
		number := -1
		if tries <= maxTries {
			number = x.firstCovering(&t, limit)
		}
		if taken = number >= 0; taken {
			covering = append(covering, x.rows[number].schema)
		}
		return taken
	})
	if !taken {
		return nil
	}
	slices.Sort(covering)
	var found []*flowcontrolv1.FlowSchema
	for _, one := range slices.Compact(covering) {
		found = append(found, x.schemas[one])
	}
	return found
}

// firstCovering returns the first row below the limit that covers the tuple, or -1.
func (x *index) firstCovering(t *tuple, limit int) int {
	x.found.reset(limit)
	for _, users := range t.users.Supersets() {
		x.found.insert(x.users[users], limit)
	}
	x.keep(&x.verbs, t.verb, limit)
	if t.url != "" {
		x.keepURL(t.url, limit)
		return x.found.first(limit)
	}
	x.keep(&x.apiGroups, t.apiGroup, limit)
	x.keep(&x.resources, t.resource, limit)
	if t.clusterScope {
		x.keep(&x.clusterScope, "", limit)
	} else {
		x.keep(&x.namespaces, t.namespace, limit)
	}
	return x.found.first(limit)
}

// keep removes the rows that do not cover the values in the place. The wildcard is
// covered only by itself.
func (x *index) keep(p *place, value string, limit int) {
	x.covering.reset(limit)
	x.covering.insert(&p.all, limit)
	if value != wildcard {
		x.covering.insert(p.values[value], limit)
	}
	x.found.and(x.covering, limit)
}

func (x *index) keepURL(url string, limit int) {
	x.covering.reset(limit)
	x.covering.insert(&x.urls.all, limit)
	x.covering.insert(x.urls.values[url], limit)
	for i := range url {
		if url[i] == '/' {
			x.covering.insert(x.below[url[:i+1]], limit)
		}
	}
	x.found.and(x.covering, limit)
}

// winners returns up to maxTied schemas of the same precedence that come before the one
// at the index and match some request which it matches too.
func (x *index) winners(at int) []*flowcontrolv1.FlowSchema {
	schema, from := x.schemas[at], x.tied[at]
	if from == at {
		return nil
	}
	begin, limit, own := x.first[from], x.first[at], rulesOf(schema)
	var found []*flowcontrolv1.FlowSchema
	last := -1
	for number := range x.sharing(schema, begin, limit) {
		candidate := x.rows[number].schema
		if candidate == last || !overlap(own, x.schemas[candidate], rules.Users.Intersects) {
			continue
		}
		last = candidate
		if found = append(found, x.schemas[candidate]); len(found) == maxTied {
			break
		}
	}
	return found
}

// sharing yields the rows from begin to limit that may match a request which the schema
// matches too, in order.
func (x *index) sharing(schema *flowcontrolv1.FlowSchema, begin, limit int) func(func(int) bool) {
	sum := make(rowSet, len(x.found))
	for i := range schema.Spec.Rules {
		rule := &schema.Spec.Rules[i]
		for k := range rule.ResourceRules {
			r := &rule.ResourceRules[k]
			x.findUsers(rule, limit)
			x.keepAny(&x.verbs, r.Verbs, limit)
			x.keepAny(&x.apiGroups, r.APIGroups, limit)
			x.keepAny(&x.resources, r.Resources, limit)
			x.keepScope(r, limit)
			sum.or(x.found, limit)
		}
		for k := range rule.NonResourceRules {
			x.findUsers(rule, limit)
			x.keepAny(&x.verbs, rule.NonResourceRules[k].Verbs, limit)
			sum.or(x.found, limit)
		}
	}
	return func(yield func(int) bool) {
		for number := sum.next(begin, limit); number >= 0; number = sum.next(number+1, limit) {
			if !yield(number) {
				return
			}
		}
	}
}

// findUsers finds the rows whose subjects may have a user in common with the rule's.
func (x *index) findUsers(rule *flowcontrolv1.PolicyRulesWithSubjects, limit int) {
	x.found.reset(limit)
	for _, users := range usersOfAll(rule.Subjects) {
		for _, set := range users.Supersets() {
			x.found.insert(x.users[set], limit)
		}
		for _, kind := range users.KindsInCommon() {
			x.found.insert(x.kinds[kind], limit)
		}
	}
}

// keepAny removes the rows that have no value of the list in the place.
func (x *index) keepAny(p *place, list []string, limit int) {
	if rules.IsAll(list) {
		return
	}
	x.covering.reset(limit)
	x.covering.insert(&p.all, limit)
	for _, value := range list {
		x.covering.insert(p.values[value], limit)
	}
	x.found.and(x.covering, limit)
}

// keepScope removes the rows that have neither a namespace nor the cluster scope in
// common with the rule.
func (x *index) keepScope(r *flowcontrolv1.ResourcePolicyRule, limit int) {
	if rules.IsAll(r.Namespaces) {
		return
	}
	x.covering.reset(limit)
	x.covering.insert(&x.namespaces.all, limit)
	for _, namespace := range r.Namespaces {
		x.covering.insert(x.namespaces.values[namespace], limit)
	}
	if r.ClusterScope {
		x.covering.insert(&x.clusterScope.all, limit)
	}
	x.found.and(x.covering, limit)
}
