package configsync

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
)

func TestNothingIsAppliedBeforeBothKindsAreKnown(t *testing.T) {
	// Issue 107729: schemas whose levels are not known yet would seem to dangle.
	f := newFixture(t, clock.RealClock{})
	_, err := f.client.FlowcontrolV1().FlowSchemas().Create(t.Context(), forUser("s", "l", "alice"), metav1.CreateOptions{})
	require.NoError(t, err)
	controller, err := New(f.config)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	go f.config.Schemas.Run(ctx.Done())
	require.True(t, cache.WaitForCacheSync(ctx.Done(), f.config.Schemas.HasSynced))
	done := make(chan error)
	go func() { done <- controller.Run(ctx) }()
	cancel()
	require.EqualError(t, <-done, "the informers of FlowSchemas and PriorityLevelConfigurations did not sync before shutdown")
	assert.Empty(t, f.engine.given)
}

// lateHandler is an informer whose event handlers never see the first list. unseen is called when
// somebody asks whether one did.
type lateHandler struct {
	cache.SharedIndexInformer
	unseen func()
}

func (i lateHandler) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	registration, err := i.SharedIndexInformer.AddEventHandler(handler)
	return lateRegistration{registration, i.unseen}, err
}

type lateRegistration struct {
	cache.ResourceEventHandlerRegistration
	unseen func()
}

func (r lateRegistration) HasSynced() bool {
	r.unseen()
	return false
}

// Otherwise the first list would be applied, and then each of its objects would be a change.
func TestNothingIsAppliedBeforeTheHandlersHaveSeenTheFirstLists(t *testing.T) {
	f := newFixture(t, clock.RealClock{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f.engine.work = cancel // or Run would not end
	f.factory.Start(ctx.Done())
	f.factory.WaitForCacheSync(ctx.Done())
	f.config.Schemas = lateHandler{f.config.Schemas, cancel}
	controller, err := New(f.config)
	require.NoError(t, err)
	require.EqualError(t, controller.Run(ctx), "the informers of FlowSchemas and PriorityLevelConfigurations did not sync before shutdown")
	assert.Empty(t, f.engine.given)
}

// busy is an informer whose API is written to before each listing.
type busy struct {
	cache.SharedIndexInformer
	write func()
}

func (i busy) GetStore() cache.Store {
	i.write()
	return i.SharedIndexInformer.GetStore()
}

func TestALevelThatIsWrittenBeforeItsSchemaIsAppliedWithIt(t *testing.T) {
	f := newFixture(t, clock.RealClock{})
	levels, schemas := f.config.Levels.GetStore(), f.config.Schemas.GetStore()
	f.config.Schemas = busy{f.config.Schemas, func() {
		require.NoError(t, levels.Add(queuing("l", 1)))
		require.NoError(t, schemas.Add(forUser("s", "l", "alice")))
	}}
	controller, err := New(f.config)
	require.NoError(t, err)
	controller.apply()
	levelNames, schemaNames := namesOf(<-f.engine.given)
	assert.Equal(t, []string{"s"}, schemaNames)
	assert.Equal(t, []string{"l"}, levelNames)
}
