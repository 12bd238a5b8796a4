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

// TestChecksOfABundleAreThoseOfAWrite compares what a bundle says of each schema with the comparison
// of this schema with all others, in any order.
func TestChecksOfABundleAreThoseOfAWrite(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 8))
	shadowed, won := 0, 0
	for range 60 {
		schemas := slices.SortedFunc(slices.Values(pointers(randomSchemas(random, 2+random.IntN(60)))), compareMatchingOrder)
		all := comparedOf(schemas)
		var before earlier
		for i, schema := range all {
			found := shadowedBy(schema, &before, isPresent, unlimited())
			require.Equal(t, len(shadowedBy(schema, earlierThan(schema, all, unlimited()), isPresent, unlimited())) > 0, len(found) > 0, "%s among %s", text(schema.FlowSchema), text(schemas))
			for k := range all { // a mask may not hide a schema that has a user in common
				if schema.mayOverlap(all[k], unlimited()) {
					require.True(t, schema.mask.MayIntersect(all[k].mask), "%s and %s", text(schema.FlowSchema), text(all[k].FlowSchema))
					won++
				}
			}
			if len(found) > 0 {
				shadowed++
			}
			before.add(all[i])
		}
	}
	assert.Greater(t, shadowed, 60)
	assert.Greater(t, won, 60)
}

// BenchmarkCheck measures a bundle of 10,000 schemas.
func BenchmarkCheck(b *testing.B) {
	const n = 10_000
	for _, test := range []struct {
		name   string
		schema func(i int) flowcontrolv1.FlowSchema
	}{
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
