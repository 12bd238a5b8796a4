package flowcontrol

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// recorder records warnings.
type recorder struct{ texts []string }

func (r *recorder) AddWarning(_, text string) { r.texts = append(r.texts, text) }

// empty is a store without objects.
type empty struct{ lint.Reader }

func (empty) FlowSchemas(context.Context, lint.UserMask) ([]*flowcontrolv1.FlowSchema, error) {
	return nil, nil
}

func (empty) PriorityLevels(context.Context) ([]*flowcontrolv1.PriorityLevelConfiguration, error) {
	return nil, nil
}

func TestFindingsAboutALevelAreWarnings(t *testing.T) {
	judge := priorityLevels(clock.RealClock{}, lint.NewAdvisor(lint.Defaults{}, 0)).advice
	level := validLevel()
	var warnings recorder
	ctx := warning.WithWarningRecorder(t.Context(), &warnings)
	warn(ctx, judge.written(ctx, level, nil, empty{}))
	require.Empty(t, warnings.texts)

	level.Spec.Limited.LendablePercent = new(int32(100))
	warn(ctx, judge.written(ctx, level, level.DeepCopy(), empty{}))
	require.Empty(t, warnings.texts, "an update that changes nothing")
	warn(ctx, judge.written(ctx, level, nil, empty{}))
	require.Len(t, warnings.texts, 1)
	require.Regexp(t, `^FC209: spec\.limited\.lendablePercent: This level may lend all its seats`, warnings.texts[0])
}

func TestChangesOfSpecAndCapAreJudged(t *testing.T) {
	const flowCap = "apf.flowcontrol-apiserver.io/max-flow-seats-percent"
	before := validLevel()
	before.Generation = 3
	for name, test := range map[string]struct {
		change func(*flowcontrol.PriorityLevelConfiguration)
		want   bool
	}{
		"nothing":            {func(*flowcontrol.PriorityLevelConfiguration) {}, false},
		"the spec":           {func(l *flowcontrol.PriorityLevelConfiguration) { l.Generation = 4 }, true},
		"the cap of a flow":  {func(l *flowcontrol.PriorityLevelConfiguration) { l.Annotations = map[string]string{flowCap: "1"} }, true},
		"another annotation": {func(l *flowcontrol.PriorityLevelConfiguration) { l.Annotations = map[string]string{"a": "b"} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			after := before.DeepCopy()
			test.change(after)
			require.Equal(t, test.want, changesFlowControl(before, after))
		})
	}
}
