package lint

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// inOrder returns the schemas in matching order.
func inOrder(schemas []flowcontrolv1.FlowSchema) []*flowcontrolv1.FlowSchema {
	return slices.SortedFunc(slices.Values(pointers(schemas)), compareMatchingOrder)
}

func TestIndexAgreesWithComparingEachSchema(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 8))
	shadowed, won := 0, 0
	for range 60 {
		schemas := inOrder(randomSchemas(random, 2+random.IntN(60)))
		x := newIndex(schemas, isPresent)
		for i, schema := range schemas {
			require.Equal(t, shadowedBy(schema, schemas, isPresent) != nil, shadowedBy(schema, x.candidates(i), isPresent) != nil, "%s among %s", text(schema), text(schemas))
			if x.candidates(i) != nil {
				shadowed++
			}
			before := slices.DeleteFunc(slices.Clone(schemas[:i]), func(other *flowcontrolv1.FlowSchema) bool {
				return !isPresent(other.Spec.PriorityLevelConfiguration.Name)
			})
			winners := tiedWith(schema, before)
			require.Equal(t, winners, x.winners(i), "%s among %s", text(schema), text(schemas))
			won += len(winners)
		}
	}
	assert.Greater(t, shadowed, 60)
	assert.Greater(t, won, 60)
}

func TestIndexStopsAtTooManyTuples(t *testing.T) {
	rule := flowcontrolv1.ResourcePolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Namespaces: []string{"*"}}
	for i := range maxTries + 1 {
		rule.Verbs = append(rule.Verbs, fmt.Sprint(i))
	}
	schemas := []flowcontrolv1.FlowSchema{everything("first", 4, aUser("alice")), schemaOf("new", 5, resources(rule))}
	require.Empty(t, newIndex(inOrder(schemas), isPresent).candidates(1))
	schemas[1].Spec.Rules[0].ResourceRules[0].Verbs = rule.Verbs[1:]
	require.Len(t, newIndex(inOrder(schemas), isPresent).candidates(1), 1)
}

func TestSetsInCommonAreComplete(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 9))
	seen := map[bool]int{}
	for range 2000 {
		first, second := randomSubject(random), randomSubject(random)
		for _, a := range usersOfAll([]flowcontrolv1.Subject{first}) {
			for _, b := range usersOfAll([]flowcontrolv1.Subject{second}) {
				require.Equal(t, b.Covers(a), slices.Contains(a.Supersets(), b), "%+v covers %+v", b, a)
				if a.Intersects(b) {
					require.True(t, slices.Contains(a.Supersets(), b) || slices.Contains(a.KindsInCommon(), b.Kind), "%+v and %+v", a, b)
				}
				if a.SurelyIntersects(b) {
					require.True(t, a.Intersects(b))
				}
				seen[a.Intersects(b)]++
			}
		}
	}
	assert.Greater(t, seen[true], 200)
	assert.Greater(t, seen[false], 200)
}

// BenchmarkCheck measures a bundle of 10,000 schemas.
func BenchmarkCheck(b *testing.B) {
	const n = 10_000
	for _, test := range []struct {
		name   string
		schema func(i int) flowcontrolv1.FlowSchema
	}{
		{"a user each", func(i int) flowcontrolv1.FlowSchema {
			return everything(fmt.Sprintf("s%05d", i), int32(1000+i%8000), aUser(fmt.Sprint("user-", i)))
		}},
		{"a service account each, of one precedence", func(i int) flowcontrolv1.FlowSchema {
			return everything(fmt.Sprintf("s%05d", i), 5000, anAccount(fmt.Sprint("ns-", i%500), fmt.Sprint("account-", i)))
		}},
		{"a group each, of one precedence", func(i int) flowcontrolv1.FlowSchema {
			return everything(fmt.Sprintf("s%05d", i), 5000, aGroup(fmt.Sprint("group-", i)))
		}},
		{"a namespace each, of one precedence and user", func(i int) flowcontrolv1.FlowSchema {
			schema := everything(fmt.Sprintf("s%05d", i), 5000, aGroup("devs"))
			schema.Spec.Rules[0].NonResourceRules = nil
			schema.Spec.Rules[0].ResourceRules[0].ClusterScope = false
			schema.Spec.Rules[0].ResourceRules[0].Namespaces = []string{fmt.Sprint("ns-", i)}
			return schema
		}},
		{"all the same", func(i int) flowcontrolv1.FlowSchema { return everything(fmt.Sprintf("s%05d", i), 5000, aGroup("devs")) }},
		{"random", func(i int) flowcontrolv1.FlowSchema {
			schema := randomSchema(rand.New(rand.NewPCG(uint64(i), 1)), fmt.Sprintf("s%05d", i))
			schema.Spec.MatchingPrecedence = int32(2 + i%9000)
			return schema
		}},
	} {
		b.Run(test.name, func(b *testing.B) {
			bundle := inCluster(nil, nil)
			bundle.Only = nil
			for i := range n {
				schema := test.schema(i)
				schema.Spec.PriorityLevelConfiguration.Name = []string{"workload-low", "workload-high"}[i%2]
				bundle.FlowSchemas = append(bundle.FlowSchemas, &schema)
			}
			for b.Loop() {
				Check(bundle)
			}
		})
	}
}
