package lint

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/internal/budget"
)

func isPresent(level string) bool { return level != "absent" }

// requireShadowIsTrue compares shadowedBy with the classifier. It reports
// whether the classifier assigns no request to the schema.
func requireShadowIsTrue(t *testing.T, schema flowcontrolv1.FlowSchema, others []flowcontrolv1.FlowSchema, requests []flow.Attributes) bool {
	t.Helper()
	schema.Spec.PriorityLevelConfiguration.Name = "present"
	covering := shadowing(&schema, pointers(others))
	c := classifier(append([]flowcontrolv1.FlowSchema{schema}, others...)...)
	for i := range requests {
		if chosen := c.Match(&requests[i]); chosen >= 0 && c.Schemas()[chosen].Name == schema.Name {
			require.Empty(t, covering, "%s is reported to match nothing among %s, but takes %+v", text(schema), text(others), requests[i])
			return false
		}
	}
	require.NotEmpty(t, covering, "%s matches nothing among %s", text(schema), text(others))

	require.NotEmpty(t, shadowing(&schema, flowSchemas(covering)), "the reported schemas suffice")
	return true
}

func unlimited() *budget.Budget { return budget.New(math.MaxInt, nil) }

// shadowing returns which of the others shadow the schema.
func shadowing(schema *flowcontrolv1.FlowSchema, others []*flowcontrolv1.FlowSchema) []*Compared {
	one := NewCompared(schema)
	return shadowedBy(one, earlierThan(one, comparedOf(others), unlimited()), isPresent, unlimited())
}

// requireOverlapIsTrue compares mayOverlap with the classifier. It reports whether
// some request matches both schemas.
func requireOverlapIsTrue(t *testing.T, a, b flowcontrolv1.FlowSchema, requests []flow.Attributes) bool {
	t.Helper()
	a.Spec.PriorityLevelConfiguration.Name, b.Spec.PriorityLevelConfiguration.Name = "present", "present"
	first, second := classifier(a), classifier(b)
	some, others := NewCompared(&a), NewCompared(&b)
	for i := range requests {
		if first.Match(&requests[i]) >= 0 && second.Match(&requests[i]) >= 0 {
			require.True(t, some.mayOverlap(others, unlimited()), "%s and %s both match %+v", text(a), text(b), requests[i])
			require.True(t, others.mayOverlap(some, unlimited()))
			return true
		}
	}
	require.False(t, some.mayOverlap(others, unlimited()), "%s and %s have no request in common", text(a), text(b))
	require.False(t, others.mayOverlap(some, unlimited()))
	return false
}

func text(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func TestShadowAgreesWithTheClassifier(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 4))
	requests := universe()
	seen := map[bool]int{}
	for range 60 {
		schemas := randomSchemas(random, 2+random.IntN(20))
		for i := range schemas {
			seen[requireShadowIsTrue(t, schemas[i], append(schemas[:i:i], schemas[i+1:]...), requests)]++
		}
	}
	assert.Greater(t, seen[true], 60)
	assert.Greater(t, seen[false], 60)
}

func TestOverlapAgreesWithTheClassifier(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 6))
	requests := universe()
	seen := map[bool]int{}
	for range 500 {
		schemas := randomSchemas(random, 2)
		seen[requireOverlapIsTrue(t, schemas[0], schemas[1], requests)]++
	}
	assert.Greater(t, seen[true], 100)
	assert.Greater(t, seen[false], 100)
}
