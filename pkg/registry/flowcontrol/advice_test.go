package flowcontrol

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/utils/clock"

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
	before := level.DeepCopy()
	level.Generation++
	require.Len(t, judge.written(ctx, level, before, empty{}), 1, "an update of the spec")
	warn(ctx, judge.written(ctx, level, nil, empty{}))
	require.Len(t, warnings.texts, 1)
	require.Regexp(t, `^FC209: spec\.limited\.lendablePercent: This level may lend all its seats`, warnings.texts[0])
}
