package lint

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/utils/clock"
)

// shape is a way to spread many values over the schemas of a bundle.
type shape struct {
	name    string
	schemas func(n int) []*flowcontrolv1.FlowSchema
}

func numbered(of string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint(of, i)
	}
	return all
}

func usersNamed(names ...string) []flowcontrolv1.Subject {
	all := make([]flowcontrolv1.Subject, len(names))
	for i, name := range names {
		all[i] = aUser(name)
	}
	return all
}

// inLevel returns a schema of a level that is not exempt.
func inLevel(name string, precedence int32, rules ...flowcontrolv1.PolicyRulesWithSubjects) *flowcontrolv1.FlowSchema {
	schema := schemaOf(name, precedence, rules...)
	schema.Spec.PriorityLevelConfiguration.Name = "workload-low"
	return &schema
}

func ruleOf(subjects []flowcontrolv1.Subject, resources ...flowcontrolv1.ResourcePolicyRule) flowcontrolv1.PolicyRulesWithSubjects {
	return flowcontrolv1.PolicyRulesWithSubjects{Subjects: subjects, ResourceRules: resources}
}

// lists are lists and watches of all namespaces, without the requests that have none.
func lists(groups, resources int) flowcontrolv1.ResourcePolicyRule {
	return flowcontrolv1.ResourcePolicyRule{
		Verbs: []string{"list", "watch"}, APIGroups: numbered("group", groups), Resources: numbered("resources", resources), Namespaces: []string{wildcard},
	}
}

func allResources() flowcontrolv1.ResourcePolicyRule {
	every := []string{wildcard}
	return flowcontrolv1.ResourcePolicyRule{Verbs: every, APIGroups: every, Resources: every, ClusterScope: true, Namespaces: every}
}

// shapes are honest and hostile bundles of n values.
func shapes() []shape {
	each := func(n int, rule func(i int) flowcontrolv1.PolicyRulesWithSubjects) []flowcontrolv1.PolicyRulesWithSubjects {
		all := make([]flowcontrolv1.PolicyRulesWithSubjects, n)
		for i := range all {
			all[i] = rule(i)
		}
		return all
	}
	one := func(i int) []flowcontrolv1.Subject { return usersNamed(fmt.Sprint("user", i)) }
	type schemas = []*flowcontrolv1.FlowSchema
	return []shape{
		{"the users of one rule, and a rule for their lists", func(n int) schemas {
			users := usersNamed(numbered("user", n)...)
			return schemas{inLevel("mine", 1000, ruleOf(users, lists(3, 10)), ruleOf(users, allResources()))}
		}},
		{"many users of many resources", func(n int) schemas {
			users := usersNamed(numbered("user", n/2)...)
			return schemas{inLevel("mine", 1000, ruleOf(users, lists(1, n/2)), ruleOf(users, allResources()))}
		}},
		{"a rule for each user, and a rule for all", func(n int) schemas {
			rules := each(n/2, func(i int) flowcontrolv1.PolicyRulesWithSubjects { return ruleOf(one(i), lists(3, 10)) })
			return schemas{inLevel("mine", 1000, append(rules, ruleOf(usersNamed(numbered("user", n/2)...), allResources()))...)}
		}},
		{"a rule for all users, and a rule for the lists of each", func(n int) schemas {
			rules := each(n/2, func(i int) flowcontrolv1.PolicyRulesWithSubjects { return ruleOf(one(i), allResources()) })
			return schemas{inLevel("mine", 1000, append(rules, ruleOf(usersNamed(numbered("user", n/2)...), lists(3, 10)))...)}
		}},
		{"long lists of everything, after a schema of many users", func(n int) schemas {
			long := flowcontrolv1.ResourcePolicyRule{Verbs: []string{"get"}, APIGroups: numbered("group", n/4), Resources: numbered("resources", n/4), Namespaces: numbered("namespace", n/4)}
			return schemas{
				inLevel("first", 1000, ruleOf(usersNamed(numbered("user", n/4)...), allResources())),
				inLevel("second", 1001, ruleOf(one(0), long)),
			}
		}},
		{"the same users in two schemas of one precedence", func(n int) schemas {
			users := usersNamed(numbered("user", n/2)...)
			return schemas{inLevel("first", 1000, ruleOf(users, lists(3, 10))), inLevel("second", 1000, ruleOf(users, allResources()))}
		}},
		{"a schema for each user", func(n int) (all schemas) {
			for i := range n {
				all = append(all, inLevel(fmt.Sprint("schema", i), 1000, ruleOf(one(i), allResources())))
			}
			return all
		}},
		{"a schema for all users, after one for each", func(n int) (all schemas) {
			for i := range n / 2 {
				all = append(all, inLevel(fmt.Sprint("schema", i), 1000, ruleOf(one(i), allResources())))
			}
			return append(all, inLevel("z", 1001, ruleOf(usersNamed(numbered("user", n/2)...), allResources())))
		}},
		{"controllers and a changed built-in schema of many accounts", func(n int) schemas {
			var accounts []flowcontrolv1.Subject
			for i := range n / 2 {
				accounts = append(accounts, anAccount("kube-system", fmt.Sprint("controller", i)))
			}
			changed := inLevel("kube-system-service-accounts", 900, ruleOf(accounts, lists(3, 10)))
			return schemas{changed, inLevel("mine", 800, ruleOf(accounts, allResources()))}
		}},
		{"URLs below each other", func(n int) schemas {
			urls := numbered("/a/", n/2)
			rule := func(url []string) flowcontrolv1.PolicyRulesWithSubjects {
				return flowcontrolv1.PolicyRulesWithSubjects{Subjects: one(0), NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: []string{"get"}, NonResourceURLs: url}}}
			}
			return schemas{inLevel("first", 1000, rule(urls)), inLevel("second", 1000, rule(append(urls, "/b")))}
		}},
		{"names that are patterns", func(n int) schemas {
			return schemas{inLevel("mine", 1000, ruleOf(usersNamed(numbered("user*", n)...), allResources()))}
		}},
	}
}

// TestAllIsCheckedInStepsOfTheNumberOfValues: pairs of 10,000 values would be 100,000,000.
func TestAllIsCheckedInStepsOfTheNumberOfValues(t *testing.T) {
	const n, stepsPerValue = 10_000, 120 // a finding about a value is a hundred
	for _, shape := range shapes() {
		t.Run(shape.name, func(t *testing.T) {
			bundle := inCluster(shape.schemas(n), nil)
			bundle.Steps = stepsPerValue * n
			for _, f := range Check(bundle) {
				require.NotEqual(t, NotChecked, f.Code)
			}
		})
	}
}

// BenchmarkCheckOfManyValues measures bundles of 10,000 values, most of them subjects.
func BenchmarkCheckOfManyValues(b *testing.B) {
	for _, shape := range shapes() {
		b.Run(shape.name, func(b *testing.B) {
			bundle := inCluster(shape.schemas(10_000), nil)
			for b.Loop() {
				Check(bundle)
			}
		})
	}
}

// others are rules for the lists of a resource each, with and without cluster scope. Each of the
// latter is compared with all of the former.
func others(n int) *flowcontrolv1.FlowSchema {
	var rules []flowcontrolv1.PolicyRulesWithSubjects
	for i := range n {
		across := allResources()
		across.Resources = []string{fmt.Sprint("a", i)}
		within := lists(1, 1)
		within.Resources = []string{fmt.Sprint("b", i)}
		rules = append(rules, ruleOf([]flowcontrolv1.Subject{aGroup("devs")}, across), ruleOf([]flowcontrolv1.Subject{aGroup("devs")}, within))
	}
	return inLevel("mine", 1000, rules...)
}

func TestWhatTakesTooLongIsNotChecked(t *testing.T) {
	findings := Check(inCluster([]*flowcontrolv1.FlowSchema{others(2300)}, nil)) // 5.3 million pairs
	require.Contains(t, codesOf(findings), NotChecked)
	require.NotContains(t, codesOf(findings), NeverMatches)
	require.NotContains(t, codesOf(Check(inCluster([]*flowcontrolv1.FlowSchema{others(300)}, nil))), NotChecked)
}

// ticking is a clock that advances whenever it is read.
type ticking struct {
	clock.PassiveClock
	now  time.Time
	step time.Duration
}

func (c *ticking) Now() time.Time {
	c.now = c.now.Add(c.step)
	return c.now
}

func (c *ticking) Since(then time.Time) time.Duration { return c.Now().Sub(then) }

func TestAWriteIsJudgedFor20Milliseconds(t *testing.T) {
	schema, stored := others(300), release().stored()
	for _, test := range []struct {
		step    time.Duration
		isFirst bool
	}{{time.Microsecond, false}, {20 * time.Millisecond, true}} {
		advisor := NewAdvisor(release(), 600, &ticking{step: test.step})
		findings := advisor.FlowSchema(t.Context(), schema, stored)
		require.Equal(t, test.isFirst, findings[0].Code == NotChecked, "it comes first: the last ones may not fit into a header")
	}
	require.Empty(t, NewAdvisor(release(), 600, &ticking{step: time.Hour}).FlowSchema(t.Context(), inLevel("mine", 1000, ruleOf(usersNamed("alice"), allResources())), stored),
		"a small one is judged however late it is")
}

// The client of a dry run with 3,000 users left, and the server computed on.
func TestAWriteWhoseClientHasGoneIsNotJudged(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	leave()
	findings := NewAdvisor(release(), 600, &ticking{}).FlowSchema(gone, others(300), release().stored())
	require.Equal(t, NotChecked, findings[0].Code)
}
