package record

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

func pseudonyms(t *testing.T, key string) *Pseudonyms {
	t.Helper()
	p, err := NewPseudonyms([]byte(strings.Repeat(key, MinKey)))
	require.NoError(t, err)
	return p
}

func TestKeyMustBeLong(t *testing.T) {
	_, err := NewPseudonyms(make([]byte, MinKey-1))
	require.ErrorContains(t, err, "must have 16 bytes or more")
}

func TestKeyDecidesThePseudonyms(t *testing.T) {
	a, again, b := pseudonyms(t, "a"), pseudonyms(t, "a"), pseudonyms(t, "b")
	assert.Equal(t, a.User("alice"), again.User("alice"))
	assert.NotEqual(t, a.User("alice"), b.User("alice"))
	assert.NotEqual(t, a.User("alice"), a.User("bob"))
	assert.NotEqual(t, strings.TrimPrefix(a.User("alice"), "user-"), strings.TrimPrefix(a.Group("alice"), "group-"))
	assert.Regexp(t, "^user-[a-z2-7]{12}$", a.User("alice"))
}

func TestNamesThatStay(t *testing.T) {
	p := pseudonyms(t, "a")
	const secret = "-[a-z2-7]{12}"
	for name, want := range map[string]string{
		"alice": "user" + secret, "": "", "system:kube-scheduler": "system:kube-scheduler", "system:anonymous": "system:anonymous",
		"system:node:host1": "system:node:name" + secret, "system:bootstrap:abcdef": "system:bootstrap:name" + secret,
		"system:serviceaccount:ci:builder":                           "system:serviceaccount:ns" + secret + ":account" + secret,
		"system:serviceaccount:kube-system:cni":                      "system:serviceaccount:kube-system:account" + secret,
		"system:serviceaccount:default:default":                      "system:serviceaccount:default:account" + secret,
		"system:serviceaccount:no-account":                           "user" + secret,
		"system:serviceaccount:kube-system:endpoint-controller":      "system:serviceaccount:kube-system:(endpoint-controller|account" + secret + ")",
		"system:serviceaccount:kube-system:namespace-controller\x00": "user" + secret,
	} {
		assert.Regexp(t, "^"+want+"$", p.User(name), name)
	}
	for name, want := range map[string]string{
		"devs": "group" + secret, "system:masters": "system:masters", "system:serviceaccounts": "system:serviceaccounts",
		"system:serviceaccounts:ci": "system:serviceaccounts:ns" + secret, "system:serviceaccounts:kube-system": "system:serviceaccounts:kube-system",
		"kubeadm:cluster-admins": "group" + secret,
	} {
		assert.Regexp(t, "^"+want+"$", p.Group(name), name)
	}
	for _, name := range []string{"default", "kube-system", "kube-public", "kube-node-lease", ""} {
		assert.Equal(t, name, p.Namespace(name))
	}
	assert.Regexp(t, "^ns"+secret+"$", p.Namespace("ci"))
	assert.Equal(t, "global-default", p.FlowSchema("global-default"))
	assert.Regexp(t, "^schema"+secret+"$", p.FlowSchema("builders"))
	assert.Equal(t, "workload-low", p.PriorityLevel("workload-low"))
	assert.Regexp(t, "^level"+secret+"$", p.PriorityLevel("builders"))
}

func TestNoNameIsLeftInARequest(t *testing.T) {
	p := pseudonyms(t, "a")
	groups := []string{"secret-group", "system:serviceaccounts:secret-ns"}
	list := trace.ListOptions{LabelSelector: "secret=label", FieldSelector: "metadata.name=secret-name", Limit: 5}
	r := trace.Request{
		Arrival: time.Unix(0, 0), Replica: "secret-replica", User: "system:serviceaccount:secret-ns:secret-sa", Groups: groups,
		Verb: "list", APIVersion: "v1", Resource: "pods", Namespace: "secret-ns", Name: "secret-name", List: &list,
		FlowSchema: "secret-schema", PriorityLevel: "secret-level", Client: "secret-client",
	}
	p.Request(&r)
	text, err := json.Marshal(r)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "secret")
	assert.Equal(t, "metadata.name="+r.Name, r.List.FieldSelector, "a list of one object stays one")
	assert.Equal(t, int64(5), r.List.Limit)
	assert.Contains(t, r.User, r.Namespace)
	assert.Equal(t, "secret-group", groups[0], "shared groups are not changed")
	assert.Equal(t, "secret=label", list.LabelSelector, "nor are shared options")

	other := trace.Request{Resource: "pods", List: &trace.ListOptions{FieldSelector: "metadata.name=secret,spec.nodeName=secret"}}
	p.Request(&other)
	assert.Regexp(t, "^selector-", other.List.FieldSelector)
	namespace := trace.Request{Resource: "namespaces", Namespace: "ci", Name: "ci"}
	p.Request(&namespace)
	assert.Equal(t, namespace.Namespace, namespace.Name)

	h := trace.Header{Replicas: []string{"secret"}}
	p.Header(&h)
	assert.True(t, h.Anonymized)
	assert.Regexp(t, "^replica-", h.Replicas[0])
}

// configured returns the built-in objects, and a flow schema for each kind of subject.
func configured(t *testing.T) configuration.Configuration {
	t.Helper()
	c, err := configuration.BuiltIn("1.33")
	require.NoError(t, err)
	level := bootstrap.SuggestedPriorityLevelConfigurations[0].DeepCopy()
	level.Name = "builders"
	level.Labels = map[string]string{"team": "secret"}
	c.PriorityLevels = append(c.PriorityLevels, level)
	subjects := []flowcontrolv1.Subject{
		{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: "alice"}},
		{Kind: flowcontrolv1.SubjectKindGroup, Group: &flowcontrolv1.GroupSubject{Name: "devs"}},
		{Kind: flowcontrolv1.SubjectKindServiceAccount, ServiceAccount: &flowcontrolv1.ServiceAccountSubject{Namespace: "ci", Name: "builder"}},
		{Kind: flowcontrolv1.SubjectKindServiceAccount, ServiceAccount: &flowcontrolv1.ServiceAccountSubject{Namespace: "ops", Name: "*"}},
	}
	for i := range subjects {
		c.FlowSchemas = append(c.FlowSchemas, &flowcontrolv1.FlowSchema{
			ObjectMeta: metav1.ObjectMeta{Name: "custom-" + string(rune('a'+i)), Annotations: map[string]string{"owner": "secret"}},
			Spec: flowcontrolv1.FlowSchemaSpec{
				PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "builders"}, MatchingPrecedence: int32(10 + i),
				Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
					Subjects: subjects[i : i+1],
					ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
						Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}, Namespaces: []string{"ci", "kube-system"},
					}},
				}},
			},
		})
	}
	return c
}

func TestConfigurationMatchesTheSameRequests(t *testing.T) {
	p, c := pseudonyms(t, "a"), configured(t)
	hidden := c
	var err error
	hidden.FlowSchemas, err = p.FlowSchemas(c.FlowSchemas)
	require.NoError(t, err)
	hidden.PriorityLevels = p.PriorityLevels(c.PriorityLevels)
	text, err := json.Marshal(hidden)
	require.NoError(t, err)
	for _, name := range []string{"secret", "alice", "devs", "builders", "custom-", `"ops"`, `"ci"`} {
		assert.NotContains(t, string(text), name)
	}
	schemaOf := func(c configuration.Configuration) func(*trace.Request) string {
		e, problems := c.Engine(time.Unix(0, 0))
		require.Empty(t, problems)
		return func(r *trace.Request) string {
			classified := e.Begin()
			defer classified.End()
			classified.Attributes = r.Attributes()
			classified.Classify()
			return classified.Schema().Name
		}
	}
	before, after := schemaOf(c), schemaOf(hidden)
	seen := map[string]bool{}
	for _, user := range []string{"alice", "bob", "system:node:a", "system:kube-scheduler", "system:serviceaccount:ci:builder", "system:serviceaccount:ops:x", "system:serviceaccount:kube-system:generic-garbage-collector", "system:anonymous"} {
		for _, group := range []string{"devs", "others"} {
			for _, namespace := range []string{"ci", "kube-system", "shop", ""} {
				r := trace.Request{User: user, Groups: append(trace.WellKnownGroups(user), group), Verb: "get", APIVersion: "v1", Resource: "pods", Namespace: namespace, Name: "a"}
				want := before(&r)
				p.Request(&r)
				assert.Equal(t, p.FlowSchema(want), after(&r), "%s in %s, namespace %q", user, group, namespace)
				seen[want] = true
			}
		}
	}
	assert.Greater(t, len(seen), 6)
}

func TestPseudonymsThatChangeTheOrderAreRejected(t *testing.T) {
	p := pseudonyms(t, "a")
	schema := func(name string) *flowcontrolv1.FlowSchema {
		return &flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: flowcontrolv1.FlowSchemaSpec{MatchingPrecedence: 500}}
	}
	one, other := "a", "b"
	for p.FlowSchema(one) < p.FlowSchema(other) {
		other += "b"
	}
	_, err := p.FlowSchemas([]*flowcontrolv1.FlowSchema{schema(other), schema(one)})
	require.ErrorContains(t, err, `flow schemas "a" and "`+other+`" have the matchingPrecedence 500`)
	last := schema(other)
	last.Spec.MatchingPrecedence++
	_, err = p.FlowSchemas([]*flowcontrolv1.FlowSchema{last, schema(one)})
	require.NoError(t, err)
}
