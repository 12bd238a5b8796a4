package isolate

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// inForce is the configuration before the change.
type inForce struct{ *configuration.InForce }

func (f inForce) hasLevel(name string) bool { _, exists := f.Levels[name]; return exists }

// other is a value that no rule names.
const other = "\x00other"

// everyAccount is the name that stands for all service accounts of a namespace, as in rules.
const everyAccount = rules.All

// anyRequest returns a request of an account that no rule names.
func anyRequest(account source.Account, namespace string) flow.Attributes {
	if account.Name == everyAccount {
		account.Name = other
	}
	return flow.Attributes{
		User: account.User(), Groups: append(serviceaccount.MakeGroupNames(account.Namespace), user.AllAuthenticated),
		IsResourceRequest: true, Verb: other, APIGroup: other, Resource: other, Namespace: namespace,
	}
}

// bounds are two precedences and their schemas. Precedences of new schemas must be between them,
// both excluded. used are the precedences of all schemas.
type bounds struct {
	lower, upper             int32
	lowerSchema, upperSchema string
	used                     map[int32]bool
}

// boundsOf returns the bounds for schemas of the accounts. The upper one is of the first schema
// that matches a request without known attributes; the lower one is of the last schema before it
// that matches some of their requests.
func (f inForce) boundsOf(accounts []source.Account) bounds {
	b := bounds{lower: 1, lowerSchema: "exempt", used: map[int32]bool{}}
	schemas := f.Schemas()
	for _, s := range schemas {
		b.used[s.Precedence] = true
	}
	for _, account := range accounts {
		requests := []flow.Attributes{anyRequest(account, other), anyRequest(account, "")}
		first := len(schemas)
		for i := range requests {
			name := f.Classify(&requests[i]).Name
			first = min(first, slices.IndexFunc(schemas, func(s *rules.Schema) bool { return s.Name == name }))
		}
		if b.upper == 0 || schemas[first].Precedence < b.upper {
			b.upper, b.upperSchema = schemas[first].Precedence, schemas[first].Name
		}
		for _, s := range schemas[:first] {
			if s.Precedence > b.lower && mayMatch(s, &requests[0]) {
				b.lower, b.lowerSchema = s.Precedence, s.Name
			}
		}
	}
	return b
}

// mayMatch reports whether a schema has a subject that matches the user of the request.
func mayMatch(s *rules.Schema, a *flow.Attributes) bool {
	mismatch, differs := s.Mismatch(a)
	return !differs || slices.ContainsFunc(mismatch, func(m rules.RuleMismatch) bool { return m.Part != rules.Subjects })
}

// choose returns a precedence within the bounds for each schema, in ascending order: round and
// unused ones just before the upper bound, which leave room for others on both sides.
func (b bounds) choose(schemas []string) ([]int32, error) {
	for _, step := range []int32{100, 10, 1} {
		chosen := make([]int32, len(schemas))
		next := (b.upper - 1) / step * step
		for i := len(chosen) - 1; i >= 0; i-- {
			for b.used[next] {
				next -= step
			}
			chosen[i] = next
			next -= step
		}
		if chosen[0] > b.lower {
			return chosen, nil
		}
	}
	return nil, fmt.Errorf("no precedence is free for %s between %d, of FlowSchema %q, which keeps its requests, and %d, of %q, which would match all others first: lower the former, or raise the latter",
		strings.Join(schemas, ", "), b.lower, b.lowerSchema, b.upper, b.upperSchema)
}

// eventLevel returns the level for events, and why it is this one.
func (f inForce) eventLevel(accounts []source.Account) (level, why string) {
	today := f.levelOf(accounts[0])
	if !isImportant(today) {
		return today, fmt.Sprintf("Events stay in %s, where they are today: a storm of them takes no seats of the operator, and other clients there do not wait longer than before.", today)
	}
	for _, low := range []string{"workload-low", "global-default", "catch-all"} {
		if f.hasLevel(low) {
			level = low
			break
		}
	}
	return level, fmt.Sprintf("Events go from %s to %s: no request is less urgent.", today, level)
}

// levelOf returns the level of requests without known attributes.
func (f inForce) levelOf(account source.Account) string {
	a := anyRequest(account, other)
	return f.Classify(&a).Level
}

// isImportant reports whether the cluster itself depends on a level.
func isImportant(level string) bool {
	return slices.Contains([]string{"catch-all", "exempt", "leader-election", "node-high", "system", "workload-high"}, level)
}
