package flowcontrol

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

func (empty) FlowSchemas(context.Context, lint.UserMask) ([]*lint.Compared, error) {
	return nil, nil
}

func (empty) PriorityLevels(context.Context) ([]*flowcontrolv1.PriorityLevelConfiguration, error) {
	return nil, nil
}

func (empty) LevelExists(context.Context, string) (bool, error) { return true, nil }

func TestFindingsAboutALevelAreWarnings(t *testing.T) {
	judge := priorityLevels(clock.RealClock{}, lint.NewAdvisor(lint.Defaults{}, 0, clock.RealClock{})).advice
	level := validLevel()
	var warnings recorder
	ctx := warning.WithWarningRecorder(t.Context(), &warnings)
	written := func(level, old *flowcontrol.PriorityLevelConfiguration) {
		advise(ctx, func(ctx context.Context) []lint.Finding { return judge.written(ctx, level, old, empty{}) })
	}
	written(level, nil)
	require.Empty(t, warnings.texts)

	level.Spec.Limited.LendablePercent = new(int32(100))
	written(level, level.DeepCopy())
	require.Empty(t, warnings.texts, "an update that changes nothing")
	before := level.DeepCopy()
	level.Generation++
	require.Len(t, judge.written(ctx, level, before, empty{}), 1, "an update of the spec")
	written(level, nil)
	require.Len(t, warnings.texts, 1)
	require.Regexp(t, `^FC209: spec\.limited\.lendablePercent: This level may lend all its seats`, warnings.texts[0])
}

// TestAdviceLeavesTimeForTheAnswer: whoever got a timeout for an object that was stored because a
// cache did not follow would write it again.
func TestAdviceLeavesTimeForTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var warnings recorder
		advise(warning.WithWarningRecorder(ctx, &warnings), func(ctx context.Context) []lint.Finding {
			<-ctx.Done() // as a read of a store that does not answer
			return []lint.Finding{{Code: lint.NotChecked}}
		})
		require.NoError(t, ctx.Err(), "the request can still be answered")
		deadline, _ := ctx.Deadline()
		require.Equal(t, 30*time.Second, time.Until(deadline))
		require.Len(t, warnings.texts, 1)
	})
}

func TestAnUpdateOfAFlowSchemaIsJudgedIfItChangesTheSpec(t *testing.T) {
	judge := flowSchemas(clock.RealClock{}, lint.NewAdvisor(lint.Defaults{}, 0, clock.RealClock{})).advice
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
