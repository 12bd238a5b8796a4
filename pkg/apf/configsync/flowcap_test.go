package configsync

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrol "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// Of 20 seats a flow may use 10 while others wait. Alice uses 15 when Bob begins to wait.
func TestEngineEnforcesTheCapOfTheAnnotation(t *testing.T) {
	for name, c := range map[string]struct {
		annotations map[string]string
		ends        int // of Alice's requests before another one starts
	}{
		"without": {nil, 1},
		"with":    {map[string]string{MaxFlowSeatsPercent: "50"}, 6},
	} {
		t.Run(name, func(t *testing.T) {
			level := queuing("l", 20)
			level.Annotations = c.annotations
			level.Spec.Limited.LendablePercent, level.Spec.Limited.BorrowingLimitPercent = new(int32(0)), new(int32(0))
			configuration, problems := NewTranslator().Translate([]*flowcontrol.PriorityLevelConfiguration{level},
				[]*flowcontrol.FlowSchema{forUser("s", "l", "*")})
			require.Empty(t, problems)
			e := engine.New(engine.Options{Total: 25})
			require.Empty(t, e.Apply(configuration))
			arrive := func(user string, width int, expected queueset.Outcome) *engine.Request {
				r := e.Begin()
				r.Attributes.User, r.Attributes.Verb, r.Attributes.Path = user, "get", "/healthz"
				r.Classify()
				require.Equal(t, "l", r.Level().Name)
				require.Equal(t, expected, r.Arrive(seats.Work{Initial: width}))
				return r
			}
			var held []*engine.Request
			for range 15 {
				held = append(held, arrive("alice", 1, queueset.Seated))
			}
			arrive("bob", 5, queueset.Seated)
			arrive("bob", 10, queueset.Waiting)
			next := arrive("alice", 1, queueset.Waiting)
			ended := 0
			for ; len(next.Ready()) == 0; ended++ {
				held[ended].Finish()
			}
			assert.Equal(t, c.ends, ended)
		})
	}
}
