package classify

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	flowcontrol "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// builtIn returns the schemas of the library's bootstrap package.
func builtIn() []rules.Schema {
	var schemas []rules.Schema
	for _, list := range [][]*flowcontrol.FlowSchema{bootstrap.MandatoryFlowSchemas, bootstrap.SuggestedFlowSchemas} {
		for _, object := range list {
			schemas = append(schemas, fromAPI(object))
		}
	}
	return schemas
}

// fromAPI returns the schema of a valid object.
func fromAPI(object *flowcontrol.FlowSchema) rules.Schema {
	schema, err := rules.SchemaOf(object)
	if err != nil {
		panic(err)
	}
	return schema
}

// with returns the built-in schemas and n more, which the function creates.
// They precede all suggested schemas except system-nodes.
func with(n int, more func(i int) rules.Rule) []rules.Schema {
	schemas := builtIn()
	for i := range n {
		schemas = append(schemas, rules.Schema{
			Name: fmt.Sprintf("more-%05d", i), Precedence: int32(501 + i%400), Rules: []rules.Rule{more(i)},
		})
	}
	return schemas
}

var all = []string{rules.All}

func on(subject rules.Subject, resources rules.ResourceRule) rules.Rule {
	return rules.Rule{Subjects: []rules.Subject{subject}, ResourceRules: []rules.ResourceRule{resources}}
}

func words(kind string, n, from int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%s-%d", kind, from+i)
	}
	return list
}

// manyShapes are sets of schemas that are similar to a request but do not match
// it.
var manyShapes = []struct {
	name string
	rule func(i int) rules.Rule
}{
	{"each a user", func(i int) rules.Rule {
		return on(rules.Subject{Kind: rules.User, Name: fmt.Sprintf("user-%d", i)},
			rules.ResourceRule{Verbs: all, APIGroups: all, Resources: all, ClusterScope: true, Namespaces: all})
	}},
	{"one group, each a resource", func(i int) rules.Rule {
		return on(rules.Subject{Kind: rules.Group, Name: "system:authenticated"},
			rules.ResourceRule{Verbs: all, APIGroups: all, Resources: words("resource", 1, i), ClusterScope: true, Namespaces: all})
	}},
	{"one group, each a namespace", func(i int) rules.Rule {
		return on(rules.Subject{Kind: rules.Group, Name: "system:authenticated"},
			rules.ResourceRule{Verbs: all, APIGroups: all, Resources: all, Namespaces: words("ns", 1, i)})
	}},
	{"one group, another verb", func(int) rules.Rule {
		return on(rules.Subject{Kind: rules.Group, Name: "system:authenticated"},
			rules.ResourceRule{Verbs: []string{"deletecollection"}, APIGroups: all, Resources: all, ClusterScope: true, Namespaces: all})
	}},
	{"everybody, each a resource", func(i int) rules.Rule {
		return on(rules.Subject{Kind: rules.Group, Name: rules.All},
			rules.ResourceRule{Verbs: all, APIGroups: all, Resources: words("resource", 1, i), ClusterScope: true, Namespaces: all})
	}},
	{"everybody, the same resource, each a namespace", func(i int) rules.Rule {
		return on(rules.Subject{Kind: rules.User, Name: rules.All},
			rules.ResourceRule{Verbs: all, APIGroups: []string{""}, Resources: []string{"pods"}, Namespaces: words("ns", 1, i)})
	}},
	{"half everybody, half every resource", func(i int) rules.Rule {
		if i%2 == 0 {
			return on(rules.Subject{Kind: rules.Group, Name: rules.All},
				rules.ResourceRule{Verbs: all, APIGroups: all, Resources: words("resource", 1, i), ClusterScope: true, Namespaces: all})
		}
		return on(rules.Subject{Kind: rules.User, Name: fmt.Sprintf("user-%d", i)},
			rules.ResourceRule{Verbs: all, APIGroups: all, Resources: all, ClusterScope: true, Namespaces: all})
	}},
	{"long lists around the request", func(i int) rules.Rule {
		rule := on(rules.Subject{Kind: rules.Group, Name: "system:authenticated"}, rules.ResourceRule{
			Verbs: []string{"delete"}, APIGroups: append(words("group", 10, i), ""), Resources: append(words("resource", 20, i), "pods"), Namespaces: append(words("ns", 20, i), "default"),
		})
		rule.Subjects = append(rule.Subjects, rules.Subject{Kind: rules.User, Name: "system:serviceaccount:default:builder"})
		return rule
	}},
	{"long lists, the request's words never together", func(i int) rules.Rule {
		rule := on(rules.Subject{Kind: rules.Group, Name: "system:authenticated"}, rules.ResourceRule{
			Verbs: []string{"get", "list"}, APIGroups: append(words("group", 10, i), ""), Resources: words("resource", 20, i), Namespaces: words("ns", 20, i),
		})
		if i%2 == 0 {
			rule.ResourceRules[0].Resources = append(rule.ResourceRules[0].Resources, "pods")
		} else {
			rule.ResourceRules[0].Namespaces = append(rule.ResourceRules[0].Namespaces, "default")
		}
		return rule
	}},
	{"many rules each", func(i int) rules.Rule {
		rule := on(rules.Subject{Kind: rules.Group, Name: "system:authenticated"}, rules.ResourceRule{})
		for j := range 20 {
			rule.ResourceRules = append(rule.ResourceRules, rules.ResourceRule{
				Verbs: []string{"update", "patch"}, APIGroups: []string{"", "apps"}, Resources: words("resource", 2, 20*i+j), Namespaces: all,
			})
		}
		return rule
	}},
	{"random, of few words, the request's among them", func(i int) rules.Rule {
		random := rand.New(rand.NewPCG(uint64(i), 1))
		word := func(kind, known string, n int) []string {
			switch random.IntN(4) {
			case 0:
				return all
			case 1:
				return []string{known}
			default:
				return words(kind, 1, random.IntN(n))
			}
		}
		subjects := []rules.Subject{
			{Kind: rules.Group, Name: "system:authenticated"}, {Kind: rules.Group, Name: "system:serviceaccounts"}, {Kind: rules.Group, Name: rules.All},
			{Kind: rules.User, Name: typical.User}, {Kind: rules.User, Name: "somebody"},
		}
		verbs := []string{"create", "delete", "update", "patch"}
		return on(subjects[random.IntN(len(subjects))], rules.ResourceRule{
			Verbs: []string{verbs[random.IntN(4)]}, APIGroups: word("api", "", 20), Resources: word("resource", "pods", 50), Namespaces: word("ns", "default", 100),
		})
	}},
}

// typical is a request of the most common kind.
var typical = flow.Attributes{
	User:              "system:serviceaccount:default:builder",
	Groups:            []string{"system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"},
	Verb:              "get",
	IsResourceRequest: true,
	Resource:          "pods",
	Namespace:         "default",
	Name:              "a",
}

// fastest returns the least time of one call, in nanoseconds, over several
// batches. Other load on the machine can only increase a time.
func fastest(batches int, matchers ...func()) []float64 {
	const calls = 2000
	best := make([]float64, len(matchers))
	for batch := range batches {
		for i, match := range matchers {
			start := time.Now()
			for range calls {
				match()
			}
			took := float64(time.Since(start).Nanoseconds()) / calls
			if batch == 0 || took < best[i] {
				best[i] = took
			}
		}
	}
	return best
}

// BenchmarkManySchemas compares, in alternation, the built-in schemas with the
// same schemas and 10,000 more. The request does not match the additional ones.
func BenchmarkManySchemas(b *testing.B) {
	few := New(builtIn())
	for _, shape := range manyShapes {
		b.Run(shape.name, func(b *testing.B) {
			many := New(with(10000, shape.rule))
			a := typical
			b.ReportAllocs()
			for b.Loop() {
				times := fastest(100, func() { few.Match(&a) }, func() { many.Match(&a) })
				b.ReportMetric(times[0], "ns-built-in")
				b.ReportMetric(times[1], "ns-10000-more")
				b.ReportMetric(times[1]/times[0], "ratio")
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for _, shape := range manyShapes {
		schemas := with(10000, shape.rule)
		b.Run(shape.name, func(b *testing.B) {
			for b.Loop() {
				New(schemas)
			}
		})
	}
}
