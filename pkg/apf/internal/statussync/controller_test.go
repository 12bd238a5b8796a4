package statussync

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrol "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/test/logs"
)

// run starts a Controller that runs until the end of the test.
func (a *api) run(t *testing.T) {
	t.Helper()
	controller := a.controller()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- controller.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-done)
	})
	settle()
}

// settle waits, in virtual time, until all goroutines are idle.
func settle() {
	<-time.After(2 * time.Second)
	synctest.Wait()
}

func TestConditionFollowsTheLevel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI()
		a.schemas.set(t, schemaOf("s", "l"))
		a.run(t)
		require.Len(t, a.writes, 1)
		assert.Equal(t, flowcontrol.ConditionTrue, a.writes[0].condition.Status)
		assert.Equal(t, "NotFound", a.writes[0].condition.Reason)
		assert.Equal(t, `There is no PriorityLevelConfiguration "l", so this FlowSchema matches no request.`, a.writes[0].condition.Message)
		assert.Equal(t, types.ApplyPatchType, a.writes[0].kind)
		assert.Equal(t, []string{"status"}, a.writes[0].subresources)
		assert.Equal(t, "api-priority-and-fairness-config-consumer-v1", a.writes[0].options.FieldManager)
		assert.True(t, *a.writes[0].options.Force)

		a.levels.set(t, levelOf("l"))
		settle()
		require.Len(t, a.writes, 2)
		assert.Equal(t, flowcontrol.ConditionFalse, a.writes[1].condition.Status)
		assert.Equal(t, "Found", a.writes[1].condition.Reason)

		a.levels.delete(t, levelOf("l"))
		settle()
		require.Len(t, a.writes, 3)
		assert.Equal(t, flowcontrol.ConditionTrue, a.writes[2].condition.Status)
	})
}

func TestWritesAreLogged(t *testing.T) {
	log := logs.Record(t, "4")
	synctest.Test(t, func(t *testing.T) {
		a := newAPI()
		a.schemas.set(t, schemaOf("s", "l"))
		a.run(t)
	})
	assert.Contains(t, log.String(), `"Writing the condition Dangling of a FlowSchema" flowSchema="s" status="True"`)
}

func TestNothingIsWrittenThatIsTrueAlready(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI()
		a.levels.set(t, levelOf("l"))
		a.schemas.set(t, schemaOf("s", "l", condition("l", true, metav1.Now())))
		a.schemas.set(t, schemaOf("d", "missing", condition("missing", false, metav1.Now())))
		a.run(t)
		assert.Empty(t, a.writes)
		assert.Zero(t, a.gets)
	})
}

func TestALevelThatTheInformerHasNotSeenYetIsAskedFor(t *testing.T) {
	// Issue 107729: the informer of schemas may be ahead of the informer of levels.
	synctest.Test(t, func(t *testing.T) {
		a := newAPI()
		a.unseen = []string{"l"}
		a.schemas.set(t, schemaOf("s", "l"))
		a.run(t)
		require.Len(t, a.writes, 1)
		assert.Equal(t, flowcontrol.ConditionFalse, a.writes[0].condition.Status)
		a.levels.set(t, levelOf("l"))
		settle()
		assert.Len(t, a.writes, 1)
	})
}

func TestMandatoryLevelsExistEvenIfTheAPILacksThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI()
		a.schemas.set(t, schemaOf("s", "catch-all"))
		a.schemas.set(t, schemaOf("e", "exempt"))
		a.run(t)
		require.Len(t, a.writes, 2)
		for _, w := range a.writes {
			assert.Equal(t, flowcontrol.ConditionFalse, w.condition.Status)
		}
	})
}

func TestAFightIsSlow(t *testing.T) {
	// Issue 99935: another server writes the opposite every time.
	synctest.Test(t, func(t *testing.T) {
		a := newAPI()
		a.schemas.set(t, schemaOf("s", "l"))
		a.run(t)
		end := time.Now().Add(10 * time.Minute)
		for time.Now().Before(end) {
			a.say("s", condition("l", true, metav1.Now()))
			settle()
		}
		for i := 6; i < len(a.writes); i++ {
			assert.Greater(t, a.writes[i].at.Sub(a.writes[i-6].at), time.Minute)
		}
		assert.GreaterOrEqual(t, len(a.writes), 6*7, "it does not give up either")
	})
}

func TestAFightIsSlowIfTheAPIIsSlowToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI()
		a.slow = 40 * time.Second // the next writes compensate for it
		a.schemas.set(t, schemaOf("s", "l"))
		a.run(t)
		end := time.Now().Add(2 * time.Minute)
		for time.Now().Before(end) {
			a.say("s", condition("l", true, metav1.Now()))
			settle()
		}
		writes := a.written()
		require.Greater(t, len(writes), 6)
		assert.Greater(t, writes[6].at.Sub(writes[0].at), time.Minute)
	})
}

func TestFailedWritesAreTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI()
		a.reject = errors.New("etcd is tired")
		a.schemas.set(t, schemaOf("s", "l"))
		a.run(t)
		require.Len(t, a.writes, 2)
		assert.Equal(t, a.writes[0].condition.Status, a.writes[1].condition.Status)
	})
}

func TestAConditionThatCannotBeAppliedIsMerged(t *testing.T) {
	// Apply rejects an object with a duplicate item in a set.
	synctest.Test(t, func(t *testing.T) {
		a := newAPI()
		a.reject = apierrors.NewInvalid(flowcontrol.SchemeGroupVersion.WithKind("FlowSchema").GroupKind(), "s", nil)
		a.schemas.set(t, schemaOf("s", "l"))
		controller := a.controller()
		wait, err := controller.sync(t.Context(), "s")
		require.NoError(t, err)
		assert.Zero(t, wait)
		require.Len(t, a.writes, 2)
		assert.Equal(t, types.StrategicMergePatchType, a.writes[1].kind)
		assert.Equal(t, metav1.PatchOptions{FieldManager: "api-priority-and-fairness-config-consumer-v1"}, a.writes[1].options, "only apply may be forced")
		assert.Equal(t, []string{"status"}, a.writes[1].subresources)
		assert.Equal(t, a.writes[0].condition, a.writes[1].condition)
	})
}

func TestASchemaThatIsGoneIsLeftAlone(t *testing.T) {
	a := newAPI()
	a.schemas.set(t, schemaOf("s", "l"))
	a.reject = notFound("flowschemas", "s")
	controller := a.controller()
	wait, err := controller.sync(t.Context(), "s")
	require.NoError(t, err)
	assert.Zero(t, wait)
	require.Len(t, a.writes, 1)

	a.schemas.delete(t, schemaOf("s", "l"))
	wait, err = controller.sync(t.Context(), "s")
	require.NoError(t, err)
	assert.Zero(t, wait)
	assert.Len(t, a.writes, 1)
	assert.Empty(t, controller.limit)
}

type deaf struct{ *informer }

func (deaf) HasSynced() bool { return false }

// late is an informer whose event handlers have not seen the first list.
type late struct{ *informer }

func (i late) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	_, err := i.informer.AddEventHandler(h)
	return deaf(i), err
}

func TestRunEndsIfTheAPIIsNeverSeen(t *testing.T) {
	a := newAPI()
	for name, informer := range map[string]cache.SharedIndexInformer{"no list": deaf{a.levels}, "a list that no handler has seen": late{a.levels}} {
		t.Run(name, func(t *testing.T) {
			controller := New(Config{Levels: informer, Schemas: a.schemas, SchemaPatcher: a, LevelGetter: a, Clock: clock.RealClock{}})
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			assert.EqualError(t, controller.Run(ctx), "the informers of FlowSchemas and PriorityLevelConfigurations did not sync before shutdown")
		})
	}
}
