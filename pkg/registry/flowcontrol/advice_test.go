package flowcontrol

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

func (empty) LevelExists(context.Context, string) (bool, error) { return true, nil }

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

func TestAnUpdateOfAFlowSchemaIsJudgedIfItChangesTheSpec(t *testing.T) {
	judge := flowSchemas(clock.RealClock{}, lint.NewAdvisor(lint.Defaults{}, 0)).advice
	schema, changed := validSchema(), validSchema() // without rules
	changed.Generation++
	require.Len(t, judge.written(t.Context(), schema, nil, empty{}), 1, "a create")
	require.Empty(t, judge.written(t.Context(), schema, validSchema(), empty{}))
	require.Len(t, judge.written(t.Context(), changed, schema, empty{}), 1)
}

func TestWhoChangesWhatIsBeingDeletedIsWarned(t *testing.T) {
	const begin = "metadata.deletionTimestamp: This object is being deleted since 1970-01-01T00:01:00Z, and this change is lost with it. "
	deleted := func(generation int64, finalizers ...string) *metav1.ObjectMeta {
		return &metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: time.Unix(60, 0)}, Generation: generation, Finalizers: finalizers}
	}
	for _, test := range []struct {
		name         string
		updated, old *metav1.ObjectMeta
		want         []string
	}{
		{"it is not", &metav1.ObjectMeta{Generation: 2}, &metav1.ObjectMeta{Generation: 1}, nil},
		{"of its spec", deleted(2, "a/b", "c/d"), deleted(1, "a/b", "c/d"), []string{begin + "It stays until its finalizers are removed (a/b, c/d); then create it again."}},
		{"of nothing", deleted(1), deleted(1), []string{begin + "Create it again."}},
		{"of its finalizers, which is a part of the deletion", deleted(1), deleted(1, "a/b"), nil},
		{"of its finalizers and its spec", deleted(2), deleted(1, "a/b"), []string{begin + "Create it again."}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var warnings recorder
			warnOfDeletion(warning.WithWarningRecorder(t.Context(), &warnings), test.updated, test.old)
			require.Equal(t, test.want, warnings.texts)
		})
	}
}
