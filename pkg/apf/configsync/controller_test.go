package configsync

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrol "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/clock"
	testclock "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/test/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// recorder is an Applier that records its configurations.
type recorder struct {
	given    chan engine.Configuration
	problems []engine.Problem
	work     func()
}

func (r *recorder) Apply(c engine.Configuration) []engine.Problem {
	if r.work != nil {
		r.work()
	}
	r.given <- c
	return r.problems
}

// fixture is a running Controller on a fake API.
type fixture struct {
	client  *fake.Clientset
	engine  *recorder
	factory informers.SharedInformerFactory
	config  Config

	mu       sync.Mutex // guards the fields below
	reported []engine.Problem
}

func newFixture(t *testing.T, c clock.Clock) *fixture {
	t.Helper()
	f := &fixture{client: fake.NewClientset(), engine: &recorder{given: make(chan engine.Configuration, 100)}}
	f.factory = informers.NewSharedInformerFactory(f.client, 0)
	t.Cleanup(f.factory.Shutdown)
	f.config = Config{
		Levels:  f.factory.Flowcontrol().V1().PriorityLevelConfigurations().Informer(),
		Schemas: f.factory.Flowcontrol().V1().FlowSchemas().Informer(),
		Engine:  f.engine,
		Clock:   c,
		Report: func(p engine.Problem) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.reported = append(f.reported, p)
		},
	}
	return f
}

// run starts informers and a Controller, which run until the end of the test.
// It returns when both informers watch.
func (f *fixture) run(t *testing.T) *Controller {
	t.Helper()
	controller, err := New(f.config)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- controller.Run(ctx) }()
	f.factory.Start(ctx.Done())
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-done)
	})
	// A fake API loses writes between the list and the watch of an informer.
	eventually.Holds(t, "both informers watch", func(a *eventually.Attempt) { require.Equal(a, 2, f.watches()) })
	return controller
}

// watches returns the number of started watches.
func (f *fixture) watches() (n int) {
	for _, action := range f.client.Actions() {
		if action.GetVerb() == "watch" {
			n++
		}
	}
	return n
}

// first returns the first applied configuration that fits holds for.
func (f *fixture) first(fits func(levels, schemas []string) bool) engine.Configuration {
	for {
		if c := <-f.engine.given; fits(namesOf(c)) {
			return c
		}
	}
}

func TestChangesOfObjectsAreLogged(t *testing.T) {
	log := logs.Record(t, "7")
	f := newFixture(t, clock.RealClock{})
	<-f.run(t).Applied()
	levels, schemas := f.client.FlowcontrolV1().PriorityLevelConfigurations(), f.client.FlowcontrolV1().FlowSchemas()
	said := func(line string) {
		t.Helper()
		eventually.Holds(t, "the log has the line", func(a *eventually.Attempt) { require.Contains(a, log.String(), line) })
	}
	_, err := levels.Create(t.Context(), &flowcontrol.PriorityLevelConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "l"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	said(`"Flow control object changed" change="added" kind="PriorityLevelConfiguration" name="l"`)
	schema, err := schemas.Create(t.Context(), &flowcontrol.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: "s"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	said(`change="added" kind="FlowSchema" name="s"`)
	schema.Spec.MatchingPrecedence = 7
	_, err = schemas.Update(t.Context(), schema, metav1.UpdateOptions{})
	require.NoError(t, err)
	said(`change="updated" kind="FlowSchema" name="s"`)
	require.NoError(t, schemas.Delete(t.Context(), "s", metav1.DeleteOptions{}))
	said(`change="deleted" kind="FlowSchema" name="s"`)
}

func TestEngineFollowsTheAPI(t *testing.T) {
	f := newFixture(t, clock.RealClock{})
	levels, schemas := f.client.FlowcontrolV1().PriorityLevelConfigurations(), f.client.FlowcontrolV1().FlowSchemas()
	ctx := t.Context()
	_, err := levels.Create(ctx, queuing("l", 3), metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = schemas.Create(ctx, forUser("s", "l", "alice"), metav1.CreateOptions{})
	require.NoError(t, err)
	controller := f.run(t)

	// The first configuration has all existing objects.
	first := <-f.engine.given
	levelNames, schemaNames := namesOf(first)
	assert.Equal(t, []string{"l"}, levelNames)
	assert.Equal(t, []string{"s"}, schemaNames)
	<-controller.Applied()

	_, err = levels.Update(ctx, queuing("l", 8), metav1.UpdateOptions{})
	require.NoError(t, err)
	changed := f.first(func([]string, []string) bool { return true })
	assert.Equal(t, int32(8), changed.Levels[0].Shares)

	require.NoError(t, schemas.Delete(ctx, "s", metav1.DeleteOptions{}))
	f.first(func(_, schemas []string) bool { return !slices.Contains(schemas, "s") })
	require.NoError(t, levels.Delete(ctx, "l", metav1.DeleteOptions{}))
	f.first(func(levels, _ []string) bool { return !slices.Contains(levels, "l") })
}

func TestChangesThatMeanNothingAreNotApplied(t *testing.T) {
	f := newFixture(t, clock.RealClock{})
	schemas := f.client.FlowcontrolV1().FlowSchemas()
	_, err := schemas.Create(t.Context(), forUser("s", "catch-all", "alice"), metav1.CreateOptions{})
	require.NoError(t, err)
	f.run(t)
	<-f.engine.given

	touched := forUser("s", "catch-all", "alice")
	touched.Annotations = map[string]string{"a": "b"}
	touched.Status.Conditions = []flowcontrol.FlowSchemaCondition{{Type: flowcontrol.FlowSchemaConditionDangling}}
	_, err = schemas.Update(t.Context(), touched, metav1.UpdateOptions{})
	require.NoError(t, err)
	_, err = schemas.Create(t.Context(), forUser("t", "catch-all", "bob"), metav1.CreateOptions{})
	require.NoError(t, err)
	// Events are ordered: if the first one had been applied, its configuration
	// would precede this one.
	next := <-f.engine.given
	_, names := namesOf(next)
	assert.Contains(t, names, "t")
}

func TestSameSpec(t *testing.T) {
	recreated := forUser("s", "l", "alice")
	recreated.UID = "another"
	assert.True(t, sameSpec(forUser("s", "l", "alice"), forUser("s", "l", "alice")))
	assert.False(t, sameSpec(forUser("s", "l", "alice"), forUser("s", "l", "bob")))
	assert.False(t, sameSpec(forUser("s", "l", "alice"), recreated), "an object of another UID is another object")
	assert.True(t, sameSpec(queuing("l", 1), queuing("l", 1)))
	assert.False(t, sameSpec(queuing("l", 1), queuing("l", 2)))
	annotated := queuing("l", 1)
	annotated.Annotations = map[string]string{"a": "b"}
	assert.True(t, sameSpec(queuing("l", 1), annotated))
}

func TestProblemsAreReportedOnce(t *testing.T) {
	f := newFixture(t, clock.RealClock{})
	controller, err := New(f.config)
	require.NoError(t, err)
	store := f.config.Levels.GetStore()
	require.NoError(t, store.Add(malformed("l")))
	f.engine.problems = []engine.Problem{{Kind: engine.SchemaKind, Name: "s", Err: assert.AnError}}
	for range 3 {
		controller.apply()
	}
	require.Len(t, f.reported, 2)
	assert.Equal(t, "l", f.reported[0].Name)
	assert.Equal(t, "s", f.reported[1].Name)
	f.engine.problems[0].Err = errors.New("another")
	controller.apply()
	require.Len(t, f.reported, 3, "another problem of the same object")

	// After another valid version, the problem is reported again.
	require.NoError(t, store.Update(queuing("l", 1)))
	controller.apply()
	require.NoError(t, store.Update(malformed("l")))
	controller.apply()
	assert.Len(t, f.reported, 4)
}

func TestBurstsAreServedTogether(t *testing.T) {
	c := testclock.NewFakeClock(time.Unix(0, 0))
	f := newFixture(t, c)
	f.engine.work = func() { c.Step(time.Second) }
	f.run(t)
	<-f.engine.given
	for _, name := range []string{"a", "b", "c"} {
		_, err := f.client.FlowcontrolV1().FlowSchemas().Create(t.Context(), forUser(name, "catch-all", name), metav1.CreateOptions{})
		require.NoError(t, err)
	}
	eventually.Holds(t, "all schemas are seen while the controller pauses", func(a *eventually.Attempt) {
		require.True(a, c.HasWaiters())
		require.Len(a, f.config.Schemas.GetStore().List(), 3)
	})
	c.Step(4*time.Second - 1)
	assert.True(t, c.HasWaiters(), "it pauses four times as long as it worked")
	assert.Empty(t, f.engine.given)
	c.Step(1)
	_, names := namesOf(<-f.engine.given)
	assert.Equal(t, []string{"a", "b", "c"}, names)
}

func TestABurstIsAppliedAtMostTenTimesASecond(t *testing.T) {
	c := testclock.NewFakeClock(time.Unix(0, 0))
	f := newFixture(t, c)
	f.run(t)
	create := func(name string) {
		_, err := f.client.FlowcontrolV1().FlowSchemas().Create(t.Context(), forUser(name, "catch-all", name), metav1.CreateOptions{})
		require.NoError(t, err)
	}
	pauses := func() {
		eventually.Holds(t, "the controller pauses", func(a *eventually.Attempt) { require.True(a, c.HasWaiters()) })
	}
	<-f.engine.given
	pauses()
	c.Step(time.Second / 10)
	create("a")
	_, names := namesOf(<-f.engine.given)
	assert.Equal(t, []string{"a"}, names, "at once, since no change came before")
	pauses()
	create("b")
	create("c")
	eventually.Holds(t, "the changes are seen", func(a *eventually.Attempt) {
		require.Len(a, f.config.Schemas.GetStore().List(), 3)
	})
	c.Step(time.Second/10 - 1)
	assert.True(t, c.HasWaiters())
	assert.Empty(t, f.engine.given)
	c.Step(1)
	_, names = namesOf(<-f.engine.given)
	assert.Equal(t, []string{"a", "b", "c"}, names)
}
