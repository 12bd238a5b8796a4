package bootstrap

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/labels"
	library "k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	clocktesting "k8s.io/utils/clock/testing"
)

func TestHealthCheck(t *testing.T) {
	a := newAPI(t)
	k := a.keeper()
	require.Equal(t, "flowcontrol-bootstrap", k.Name())

	err := k.Check(nil)
	require.ErrorContains(t, err, "the first pass is in progress")
	require.ErrorContains(t, err, "PriorityLevelConfiguration exempt")
	require.ErrorContains(t, err, "FlowSchema global-default")
	require.Equal(t, "the first pass is in progress", k.Message())

	broken := true
	a.fail("create", schemasResource, "probes", func() error {
		if broken {
			return errors.New("disk full")
		}
		return nil
	})
	require.Error(t, k.EnsureOnce(t.Context()))
	require.EqualError(t, k.Check(nil), `built-in objects not ensured: FlowSchema probes; the last pass failed: FlowSchema "probes": create: disk full`)

	broken = false
	require.NoError(t, k.EnsureOnce(t.Context()))
	require.NoError(t, k.Check(nil))
	require.Empty(t, k.Message())

	t.Run("stays passed while later passes fail, and says it", func(t *testing.T) {
		a.drop(schemasResource, "probes")
		broken = true
		for range 10 {
			require.Error(t, k.EnsureOnce(t.Context()))
			require.NoError(t, k.Check(nil))
			require.Equal(t, "built-in objects not ensured: FlowSchema probes; the log says why", k.Message())
		}
		broken = false
		require.NoError(t, k.EnsureOnce(t.Context()))
		require.Empty(t, k.Message())
		require.Contains(t, a.reports.lines, "FlowSchema probes recreated")
	})
}

// A policy that denied one suggested object made every replica unready, so that nobody could
// mend it through the API.
func TestAServerIsReadyThoughAPolicyDeniesABuiltInObject(t *testing.T) {
	for _, denied := range []struct{ resource, object string }{
		{schemasResource, "probes"}, {levelsResource, "system"},
		{schemasResource, flowcontrolv1.FlowSchemaNameCatchAll}, {levelsResource, flowcontrolv1.PriorityLevelConfigurationNameExempt},
	} {
		t.Run(denied.resource+" "+denied.object, func(t *testing.T) {
			a := newAPI(t)
			a.fail("create", denied.resource, denied.object, func() error { return errors.New("denied by a policy") })
			k := a.keeper()
			for range 3 { // fewer than a second, see TestRun
				require.Error(t, k.Check(nil))
				require.Error(t, k.EnsureOnce(t.Context()))
			}
			require.NoError(t, k.Check(nil))
			require.Contains(t, k.Message(), denied.object)

			a.reports.lines = nil
			a.drop(schemasResource, "global-default")
			require.Error(t, k.EnsureOnce(t.Context()))
			require.Contains(t, a.reports.lines, "FlowSchema global-default recreated", "it is no creation of the first pass")
		})
	}
}

func TestObsoleteObjectsThatCannotBeDeletedAreSaid(t *testing.T) {
	a := newAPI(t, withAutoUpdate(newLevel("obsolete", 5), "true"))
	a.fail("delete", levelsResource, "obsolete", func() error { return errors.New("disk full") })
	k := a.keeper()
	for range 3 {
		require.Error(t, k.EnsureOnce(t.Context()))
	}
	require.NoError(t, k.Check(nil))
	require.Equal(t, "obsolete objects of another release not yet deleted; the log says why", k.Message())
}

func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI(t)
		away := true
		a.fail("create", levelsResource, flowcontrolv1.PriorityLevelConfigurationNameExempt, func() error {
			if away {
				return errors.New("etcd is unavailable")
			}
			return nil
		})
		clock := clocktesting.NewFakeClock(time.Unix(0, 0))
		logger, lines := logLines()
		k := a.newKeeper(clock, logger)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			k.Run(ctx)
		}()
		passes := func() int { // that failed, and the first that succeeded
			return len(containing(a.requests("create"), levelsResource+" "+flowcontrolv1.PriorityLevelConfigurationNameExempt))
		}
		step := func(d time.Duration) {
			synctest.Wait()
			clock.Step(d)
			synctest.Wait()
		}

		synctest.Wait()
		require.Equal(t, 1, passes(), "the first pass starts immediately")
		step(99 * time.Millisecond)
		require.Equal(t, 1, passes(), "no retry before the backoff")
		step(21 * time.Millisecond)
		require.Equal(t, 2, passes(), "the first retry is after 100 ms to 120 ms")
		step(120 * time.Millisecond)
		require.Equal(t, 2, passes(), "the backoff grows")
		step(240 * time.Millisecond)
		require.Equal(t, 3, passes())
		require.NoError(t, k.Check(nil), "after three passes, within half a second")
		for range 6 {
			step(16 * time.Second)
		}
		require.Equal(t, 9, passes(), "to at most 16 s")
		step(59 * time.Second)
		require.Equal(t, 9, passes(), "the retries are used up")
		step(time.Second)
		require.Equal(t, 10, passes())
		require.Len(t, containing(lines(), "etcd is unavailable", `"retryAfter"=`), 10, "each failure is logged")

		away = false
		step(time.Minute)
		require.Empty(t, k.Message())

		a.drop(schemasResource, "probes")
		step(59 * time.Second)
		require.Nil(t, a.stored(schemasResource, "probes"))
		step(time.Second)
		require.NotNil(t, a.stored(schemasResource, "probes"), "the next pass is a minute later")

		away = true
		a.drop(levelsResource, flowcontrolv1.PriorityLevelConfigurationNameExempt)
		before := passes()
		step(time.Minute)
		require.Equal(t, before+1, passes())
		step(59 * time.Second)
		require.Equal(t, before+1, passes(), "later failures do not change the period")
		lines()

		cancel()
		<-ended
		require.Empty(t, lines(), "the end of the context is not logged")
		require.False(t, clock.HasWaiters(), "no timer is leaked")
	})
}

func TestFirstPassWaitsForTheInformers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := filled(t)
		k := a.newKeeper(clocktesting.NewFakeClock(time.Unix(0, 0)), logr.Discard())
		var synced atomic.Bool
		k.schemas.synced = synced.Load
		k.schemas.list = func(labels.Selector) ([]*flowcontrolv1.FlowSchema, error) { return nil, nil }
		go k.Run(t.Context())
		<-time.After(time.Minute) // virtual
		require.Empty(t, a.requests(), "what is not read yet is not missing")
		require.ErrorContains(t, k.Check(nil), "the first pass is in progress")

		a.following(k)
		synced.Store(true)
		<-time.After(time.Second) // virtual
		require.NoError(t, k.Check(nil))
		require.Empty(t, a.requests())
	})
}

func TestCancelledPassIsNeitherLoggedNorReported(t *testing.T) {
	a := newAPI(t)
	ctx, cancel := context.WithCancel(t.Context())
	a.fail("create", levelsResource, "", func() error { cancel(); return ctx.Err() })
	logger, lines := logLines()
	a.newKeeper(clocktesting.NewFakeClock(time.Unix(0, 0)), logger).Run(ctx)
	require.Empty(t, containing(lines(), "Failed"))
	require.Empty(t, a.reports.lines)
}

func TestTwoServersStartAtOnce(t *testing.T) {
	a := newAPI(t)
	var servers sync.WaitGroup
	failures := make([]error, 2)
	for i := range failures {
		servers.Go(func() { failures[i] = a.keeper().EnsureOnce(t.Context()) })
	}
	servers.Wait()
	require.Equal(t, []error{nil, nil}, failures)
	for _, builtIn := range library.SuggestedFlowSchemas {
		require.EqualValues(t, 1, a.schema(builtIn.Name).Generation)
	}
	require.Empty(t, a.requests("update", "delete"))
	a.ClearActions()
	require.NoError(t, a.keeper().EnsureOnce(t.Context()))
	require.Empty(t, a.requests())
}

// Kubernetes issue 118597: servers of mixed versions. Two releases differ in one
// spec, and the newer has one more level and schema. Each writes its differing
// objects once per pass and no other object.
func TestServersOfDifferentReleasesDoNotSpin(t *testing.T) {
	type levels = [2][]*flowcontrolv1.PriorityLevelConfiguration
	type schemas = [2][]*flowcontrolv1.FlowSchema
	level := func(name string, shares int32) *flowcontrolv1.PriorityLevelConfiguration {
		return withAutoUpdate(newLevel(name, shares), "true")
	}
	schema := func(name, level string) *flowcontrolv1.FlowSchema {
		return withAutoUpdate(newSchema(name, level, 100), "true")
	}

	a := newAPI(t)
	older := a.keeperOf(levels{{level("same", 5)}, {level("differs", 10)}}, schemas{{schema("same", "same")}, nil})
	newer := a.keeperOf(levels{{level("same", 5)}, {level("differs", 20), level("new", 5)}}, schemas{{schema("same", "same")}, {schema("new", "new")}})
	require.NoError(t, older.EnsureOnce(t.Context()))
	a.ClearActions()

	require.NoError(t, newer.EnsureOnce(t.Context()))
	require.ElementsMatch(t, []string{
		"update prioritylevelconfigurations differs",
		"create prioritylevelconfigurations new",
		"create flowschemas new",
	}, a.requests())
	a.ClearActions()

	require.NoError(t, older.EnsureOnce(t.Context()))
	require.Equal(t, []string{
		"update prioritylevelconfigurations differs",
		"delete flowschemas new",
		"delete prioritylevelconfigurations new",
	}, a.requests())

	for range 5 {
		var pair sync.WaitGroup
		a.ClearActions()
		failures := make([]error, 2)
		for i, k := range []*Keeper{older, newer} {
			pair.Go(func() { failures[i] = k.EnsureOnce(t.Context()) })
		}
		pair.Wait()
		require.Equal(t, []error{nil, nil}, failures)
		writes := a.requests("create", "update", "delete")
		require.LessOrEqual(t, len(writes), 2*3*2, "two servers, three objects, one more try each")
		require.False(t, slices.ContainsFunc(writes, func(write string) bool { return len(containing([]string{write}, "same")) > 0 }))
	}
}
