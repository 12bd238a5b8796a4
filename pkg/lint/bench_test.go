package lint

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// BenchmarkAdvice is the cost of advice about one schema among 10,000.
func BenchmarkAdvice(b *testing.B) {
	const n = 10_000
	anybody := everything("new", 5000, aUser("alice"), aGroup("devs"))
	for _, test := range []struct {
		name   string
		stored func(i int) flowcontrol.FlowSchema
	}{
		{"others all over", func(i int) flowcontrol.FlowSchema {
			schema := randomSchema(rand.New(rand.NewPCG(uint64(i), 1)), fmt.Sprint(i))
			schema.Spec.MatchingPrecedence = int32(2 + i)
			return schema
		}},
		{"others of the same precedence, of other users", func(i int) flowcontrol.FlowSchema {
			return everything(fmt.Sprint(i), 5000, anAccount(fmt.Sprint(i), "*"))
		}},
		{"others of the same precedence and users", func(i int) flowcontrol.FlowSchema {
			schema := everything(fmt.Sprint(i), 5000, aUser("alice"), aGroup("devs"))
			schema.Spec.Rules[0].ResourceRules[0].Verbs = []string{"get"}
			return schema
		}},
		{"the last before it takes it all", func(i int) flowcontrol.FlowSchema {
			if i == n-1 {
				return everything(fmt.Sprint(i), 4999, aUser(all))
			}
			return everything(fmt.Sprint(i), 10, aUser(fmt.Sprint(i)))
		}},
	} {
		b.Run(test.name, func(b *testing.B) {
			stored := &shelf{cached: []string{"level", "here"}}
			for i := range n {
				stored.schemas = append(stored.schemas, test.stored(i))
			}
			for b.Loop() {
				For(b.Context(), &anybody, stored)
			}
			require.Zero(b, stored.asked)
		})
	}
}
