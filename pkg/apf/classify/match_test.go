package classify

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// The vocabularies are small, so that lists and requests often have common
// words. No schema uses the last word of each.
var (
	userWords      = []string{"alice", "bob", "system:serviceaccount:ns1:sa", "system:serviceaccount:ns1:other", "system:serviceaccount:a:b:c", "*", "", "stranger"}
	groupWords     = []string{"system:authenticated", "admins", "*", "", "strangers"}
	verbWords      = []string{"get", "list", "watch", "delete", "*", "strange"}
	apiGroupWords  = []string{"", "apps", "batch", "*", "strange"}
	resourceWords  = []string{"pods", "pods/status", "pods/log", "deployments", "a/b/c", "*", "*/status", "strange"}
	namespaceWords = []string{"ns1", "kube-system", "a", "a:b", "*", "", "strange"}
	urlWords       = []string{"/healthz", "/healthz/*", "/", "/apis/*", "/apis/apps/*", "/apis/apps", "*", "**", "", "/hea*", "healthz", "/healthz/etcd", "//", "/*"}
	pathWords      = []string{"/healthz", "/healthz/", "/healthz/etcd", "/healthz/*", "/", "", "/apis", "/apis/apps/v1", "/apis/appsx", "/hea", "//", "*", "**", "healthz/x"}
)

func pick(random *rand.Rand, words []string) string { return words[random.IntN(len(words))] }

// someOf returns a list as an API object may have it. It is often only the
// wildcard. In a longer list, the wildcard is an ordinary word.
func someOf(random *rand.Rand, words []string) []string {
	mentioned := words[:len(words)-1]
	if random.IntN(3) == 0 {
		return []string{rules.All}
	}
	values := make([]string, random.IntN(4))
	for i := range values {
		values[i] = pick(random, mentioned)
	}
	return values
}

func randomSchemas(random *rand.Rand, n int) []rules.Schema {
	schemas := make([]rules.Schema, n)
	for i := range schemas {
		schemas[i] = rules.Schema{Name: fmt.Sprintf("s%04d", random.IntN(10000)), Precedence: random.Int32N(20)}
		for range random.IntN(3) {
			schemas[i].Rules = append(schemas[i].Rules, randomRule(random))
		}
	}
	return schemas
}

func randomRule(random *rand.Rand) rules.Rule {
	var rule rules.Rule
	for range random.IntN(3) {
		subject := rules.Subject{Kind: rules.SubjectKind(random.IntN(5)), Name: pick(random, userWords[:len(userWords)-1])}
		switch subject.Kind {
		case rules.Group:
			subject.Name = pick(random, groupWords[:len(groupWords)-1])
		case rules.ServiceAccount:
			subject.Namespace = pick(random, namespaceWords[:len(namespaceWords)-1])
			subject.Name = pick(random, []string{"sa", "other", "*", "b:c", "c", ""})
		}
		rule.Subjects = append(rule.Subjects, subject)
	}
	for range random.IntN(3) {
		rule.ResourceRules = append(rule.ResourceRules, rules.ResourceRule{
			Verbs:        someOf(random, verbWords),
			APIGroups:    someOf(random, apiGroupWords),
			Resources:    someOf(random, resourceWords),
			ClusterScope: random.IntN(2) == 0,
			Namespaces:   someOf(random, namespaceWords),
		})
	}
	for range random.IntN(3) {
		urls := make([]string, random.IntN(4))
		for i := range urls {
			urls[i] = pick(random, urlWords)
		}
		rule.NonResourceRules = append(rule.NonResourceRules, rules.NonResourceRule{Verbs: someOf(random, verbWords), URLs: urls})
	}
	return rule
}

func randomRequest(random *rand.Rand) *flow.Attributes {
	a := &flow.Attributes{
		User:              pick(random, userWords),
		Verb:              pick(random, verbWords),
		IsResourceRequest: random.IntN(3) > 0,
	}
	for range random.IntN(4) {
		a.Groups = append(a.Groups, pick(random, groupWords))
	}
	if !a.IsResourceRequest {
		a.Path = pick(random, pathWords)
		return a
	}
	a.APIGroup = pick(random, apiGroupWords)
	a.Resource = pick(random, resourceWords)
	a.Subresource = pick(random, []string{"", "", "status", "log", "b/c", "c"})
	a.Namespace = pick(random, append(namespaceWords, ""))
	return a
}

func TestMatchEqualsScan(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 2))
	rounds, matched := lane.Pick(300, 3000), 0
	for range rounds {
		c := New(randomSchemas(random, random.IntN(1<<random.IntN(9))))
		for range 100 {
			a := randomRequest(random)
			want := scan(c.Schemas(), a)
			require.Equal(t, want, c.Match(a), "%+v", *a)
			require.Equal(t, want, c.Match(a), "again %+v", *a)
			if want > 0 {
				matched++
			}
		}
	}
	assert.Greater(t, matched, 2*rounds)
}

func FuzzMatchEqualsScan(f *testing.F) {
	f.Add(uint64(1), uint16(13), "alice", "admins", "get", "pods", "status", "ns1", "/healthz/etcd")
	f.Add(uint64(2), uint16(300), "system:serviceaccount:a:b:c", "", "*", "*", "", "", "/")
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, user, group, verb, resource, subresource, namespace, path string) {
		random := rand.New(rand.NewPCG(seed, 0))
		schemas := randomSchemas(random, int(n%500))
		// A schema whose values the fuzzer controls.
		schemas = append(schemas, rules.Schema{Name: group, Precedence: 10, Rules: []rules.Rule{{
			Subjects: []rules.Subject{
				{Kind: rules.User, Name: user}, {Kind: rules.Group, Name: group},
				{Kind: rules.ServiceAccount, Namespace: namespace, Name: verb},
				{Kind: rules.ServiceAccount, Namespace: namespace, Name: rules.All},
			},
			ResourceRules: []rules.ResourceRule{{
				Verbs: []string{verb, path}, APIGroups: []string{group, rules.All},
				Resources: []string{resource + "/" + subresource, resource}, Namespaces: []string{namespace},
			}},
			NonResourceRules: []rules.NonResourceRule{{Verbs: []string{verb}, URLs: []string{path, user}}},
		}}})
		requests := []*flow.Attributes{
			{User: user, Groups: []string{group}, Verb: verb, IsResourceRequest: true, APIGroup: group, Resource: resource, Subresource: subresource, Namespace: namespace},
			{User: path, Groups: []string{group, user}, Verb: verb, IsResourceRequest: true, APIGroup: group, Resource: resource, Namespace: namespace},
			{User: user, Groups: []string{group}, Verb: verb, Path: path},
			{User: user, Groups: []string{user}, Verb: verb, Path: path + user},
			{User: rules.ServiceAccountPrefix + namespace + ":" + user, Verb: verb, Path: user},
			randomRequest(random), randomRequest(random),
		}
		c := New(schemas)
		for _, a := range requests {
			requireScanResult(t, c, a)
			requireScanResult(t, c, a)
		}
	})
}

func requireScanResult(t *testing.T, c *Classifier, a *flow.Attributes) {
	t.Helper()
	require.Equal(t, scan(c.Schemas(), a), c.Match(a), "%+v", *a)
}
