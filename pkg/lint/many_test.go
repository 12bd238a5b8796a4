package lint

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/utils/clock"

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

// keeper is a Reader that returns the same schemas each time.
type keeper struct {
	fakeReader
	kept []*Compared
}

func (k *keeper) FlowSchemas(context.Context, UserMask) ([]*Compared, error) { return k.kept, nil }

// amongMany returns a schema to be written, and what is stored beside it: schemas that each select
// a group and a resource of their own and come before it.
func amongMany(n int) (written *flowcontrolv1.FlowSchema, stored *keeper) {
	of := func(name, group string, precedence int32) *flowcontrolv1.FlowSchema {
		schema := everything(name, precedence, aGroup(group))
		schema.Spec.Rules[0].ResourceRules[0].Resources = []string{group}
		return &schema
	}
	stored = &keeper{fakeReader: fakeReader{cached: []string{"level"}}}
	for i := range n {
		name := fmt.Sprintf("s%05d", i)
		stored.kept = append(stored.kept, NewCompared(of(name, name, int32(100+i))))
	}
	return of("written", "others", 9000), stored
}

func TestWritesAtOnceAreComparedWithTheSameSchemas(t *testing.T) {
	written, stored := amongMany(100)
	shadowing := everything("shadowing", 100, aGroup("others"))
	stored.kept = append(stored.kept, NewCompared(&shadowing))
	advisor := NewAdvisor(release(), 0, clock.RealClock{})
	var writes sync.WaitGroup
	for range 4 {
		writes.Go(func() {
			assert.Equal(t, []Code{NeverMatches}, codesOf(advisor.FlowSchema(t.Context(), written, stored)))
		})
	}
	writes.Wait()
	prepared := stored.kept[0].boxes()
	require.NotEmpty(t, prepared)
	assert.Same(t, &prepared[0], &stored.kept[0].boxes()[0], "prepared once")
}

// BenchmarkWrite measures a write among 500 schemas that were compared before, and that are new.
func BenchmarkWrite(b *testing.B) {
	written, stored := amongMany(500)
	all := flowSchemas(stored.kept)
	advisor := NewAdvisor(release(), 0, clock.RealClock{})
	b.Run("stored=known", func(b *testing.B) {
		for b.Loop() {
			advisor.FlowSchema(b.Context(), written, stored)
		}
	})
	b.Run("stored=new", func(b *testing.B) {
		for b.Loop() {
			stored.kept = comparedOf(all)
			advisor.FlowSchema(b.Context(), written, stored)
		}
	})
}
