package flowschema

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// BenchmarkAdviceOnACreate is what advice adds to a create among 10,000 schemas,
// each of a user of its own.
func BenchmarkAdviceOnACreate(b *testing.B) {
	const count = 10_000
	var all []any
	for i := range count {
		all = append(all, schemaOfUser(fmt.Sprintf("schema-%05d", i), fmt.Sprintf("user-%05d", i), int32(1000+i%8000)))
	}
	for name, user := range map[string]flowcontrol.Subject{
		"for a user":  {Kind: flowcontrol.SubjectKindUser, User: &flowcontrol.UserSubject{Name: "new"}},
		"for a group": {Kind: flowcontrol.SubjectKindGroup, Group: &flowcontrol.GroupSubject{Name: "new"}},
	} {
		b.Run(name, func(b *testing.B) {
			stored := newCatalogue(&genericregistry.Store{}, levels{})
			stored.schemas.begin.Do(func() {})
			require.NoError(b, stored.schemas.Replace(all, "5"))
			schema := schemaOfUser("new", "", 9000)
			schema.Spec.Rules[0].Subjects[0] = user
			b.ReportAllocs()
			for b.Loop() {
				if said := lint.For(b.Context(), schema, stored.now()); len(said) > 0 {
					b.Fatal(said)
				}
			}
		})
	}
}

func schemaOfUser(name, user string, precedence int32) *flowcontrol.FlowSchema {
	schema := event(name, 1)
	schema.Spec = flowcontrol.FlowSchemaSpec{MatchingPrecedence: precedence, Rules: []flowcontrol.PolicyRulesWithSubjects{{
		Subjects: []flowcontrol.Subject{{Kind: flowcontrol.SubjectKindUser, User: &flowcontrol.UserSubject{Name: user}}},
		ResourceRules: []flowcontrol.ResourcePolicyRule{{
			Verbs: []string{"get", "list"}, APIGroups: []string{"example.org"}, Resources: []string{"widgets"}, Namespaces: []string{"*"},
		}},
	}}}
	return schema
}
