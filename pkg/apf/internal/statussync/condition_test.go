package statussync

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrol "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestSays(t *testing.T) {
	former, now := metav1.NewTime(time.Unix(1000, 0)), metav1.NewTime(time.Unix(2000, 0))
	reworded := condition("l", true, former)
	reworded.Message = `This FlowSchema references the level named "l" and it is there`
	unreasoned := condition("l", true, former)
	unreasoned.Reason = "Whatever"
	for name, c := range map[string]struct {
		present []flowcontrol.FlowSchemaCondition
		done    bool
		since   metav1.Time
	}{
		"no condition yet":                                {since: now},
		"the same condition":                              {present: []flowcontrol.FlowSchemaCondition{condition("l", true, former)}, done: true},
		"the same condition in another server's words":    {present: []flowcontrol.FlowSchemaCondition{reworded}, done: true},
		"the opposite condition changes its time":         {present: []flowcontrol.FlowSchemaCondition{condition("l", false, former)}, since: now},
		"a condition of another level keeps its time":     {present: []flowcontrol.FlowSchemaCondition{condition("other", true, former)}, since: former},
		"a condition with another reason keeps its time":  {present: []flowcontrol.FlowSchemaCondition{unreasoned}, since: former},
		"a condition of another type is nobody's concern": {present: []flowcontrol.FlowSchemaCondition{{Type: "Other", Status: "False"}}, since: now},
	} {
		t.Run(name, func(t *testing.T) {
			done, got := isCurrent(schemaOf("s", "l", c.present...), condition("l", true, now))
			require.Equal(t, c.done, done)
			if !done {
				assert.Equal(t, condition("l", true, c.since), got)
			}
		})
	}
}

func TestApplyPatchHasNothingButTheCondition(t *testing.T) {
	patch, err := applyPatch("s", condition("l", true, metav1.NewTime(time.Unix(1000, 0).UTC())))
	require.NoError(t, err)
	want := `{
		"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": "s"},
		"status": {"conditions": [{
			"type": "Dangling", "status": "False", "reason": "Found", "lastTransitionTime": "1970-01-01T00:16:40Z",
			"message": "The PriorityLevelConfiguration \"l\" exists."
		}]}
	}`
	assert.JSONEq(t, want, string(patch))
}
