package benchmarks

import (
	"context"
	"fmt"
	"slices"
	"testing"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BenchmarkMoreSchemas measures a request whose schema comes after the given
// number of schemas that do not match.
func BenchmarkMoreSchemas(b *testing.B) {
	levels, schemas := builtIn()
	for _, more := range []int{0, 1000, 10000} {
		configured := slices.Concat(schemas, schemasOfOthers(more))
		for _, c := range []struct {
			name      string
			newEngine constructor
		}{{"peer", newPeer}, {"ours", newOurs}} {
			b.Run(fmt.Sprintf("%d/%s", more, c.name), func(b *testing.B) {
				h := measured(b, c.newEngine, levels, configured)
				digest, ctx := digestOf("alice", "system:authenticated"), context.Background()
				b.ReportAllocs()
				for b.Loop() {
					h(ctx, digest, func() {})
				}
			})
		}
	}
}

// schemasOfOthers returns schemas that each match one other user.
func schemasOfOthers(count int) []*flowcontrolv1.FlowSchema {
	schemas := make([]*flowcontrolv1.FlowSchema, count)
	for i := range schemas {
		schemas[i] = &flowcontrolv1.FlowSchema{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("other-%d", i)},
			Spec: flowcontrolv1.FlowSchemaSpec{
				MatchingPrecedence:         5000,
				PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "workload-low"},
				Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
					Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: fmt.Sprintf("other-%d", i)}}},
					ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
						Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"configmaps"}, Namespaces: []string{"*"},
					}},
				}},
			},
			// As the peer would write it. Otherwise the peer would write 1,000 statuses.
			Status: flowcontrolv1.FlowSchemaStatus{Conditions: []flowcontrolv1.FlowSchemaCondition{{
				Type: flowcontrolv1.FlowSchemaConditionDangling, Status: flowcontrolv1.ConditionFalse, Reason: "Found",
				Message: `This FlowSchema references the PriorityLevelConfiguration object named "workload-low" and it exists`,
			}}},
		}
	}
	return schemas
}
