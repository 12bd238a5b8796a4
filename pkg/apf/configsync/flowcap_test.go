package configsync

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrol "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/names"
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
		"with":    {map[string]string{names.MaxFlowSeatsPercent: "50"}, 6},
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

func TestTranslateCapOfAFlow(t *testing.T) {
	for name, c := range map[string]struct {
		value, err string
		want       int
	}{
		"the smallest":   {value: "1", want: 1},
		"the largest":    {value: "100", want: 100},
		"too small":      {value: "0", err: `is "0", must be an integer from 1 to 100; no cap is in effect`},
		"too large":      {value: "101", err: `is "101", must be an integer from 1 to 100; no cap is in effect`},
		"no number":      {value: "a third", err: `is "a third", must be an integer from 1 to 100; no cap is in effect`},
		"with a percent": {value: "30%", err: `is "30%", must be an integer from 1 to 100; no cap is in effect`},
	} {
		t.Run(name, func(t *testing.T) {
			object := queuing("l", 7)
			object.Annotations = map[string]string{names.MaxFlowSeatsPercent: c.value}
			got, err := translateLevel(object)
			assert.Equal(t, c.want, got.MaxFlowSeatsPercent)
			if c.err == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, "metadata.annotations["+names.MaxFlowSeatsPercent+"] "+c.err)
			}
		})
	}
	t.Run("a level without queues has none", func(t *testing.T) {
		object := queuing("l", 7)
		object.Annotations = map[string]string{names.MaxFlowSeatsPercent: "30"}
		object.Spec.Limited.LimitResponse = flowcontrol.LimitResponse{Type: flowcontrol.LimitResponseTypeReject}
		got, err := translateLevel(object)
		require.NoError(t, err)
		assert.Zero(t, got.MaxFlowSeatsPercent)
	})
}

// kube-apiserver validates no annotations.
func TestInvalidCapOfAFlowIsIgnoredAndTheRestTakesEffect(t *testing.T) {
	translator := NewTranslator()
	for _, value := range []string{"30", "many"} {
		object := queuing("l", 8)
		object.Annotations = map[string]string{names.MaxFlowSeatsPercent: value}
		configuration, problems := translator.Translate([]*flowcontrol.PriorityLevelConfiguration{object}, nil)
		require.Len(t, configuration.Levels, 1)
		level := configuration.Levels[0]
		assert.EqualValues(t, 8, level.Shares)
		if value == "30" {
			assert.Empty(t, problems)
			assert.Equal(t, 30, level.MaxFlowSeatsPercent)
			continue
		}
		assert.Len(t, problems, 1)
		assert.Zero(t, level.MaxFlowSeatsPercent, "whatever it was before")
	}
}
