package statussync

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/stretchr/testify/require"
	flowcontrol "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	typed "k8s.io/client-go/kubernetes/typed/flowcontrol/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
)

// informer is an informer of a fake API, without delay.
type informer struct {
	cache.SharedIndexInformer // nil; only overridden methods are used
	store                     cache.Store
	handlers                  []cache.ResourceEventHandler
}

func newInformer() *informer {
	return &informer{store: cache.NewStore(cache.MetaNamespaceKeyFunc)}
}

func (i *informer) GetStore() cache.Store { return i.store }
func (i *informer) HasSynced() bool       { return true }

func (i *informer) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	i.handlers = append(i.handlers, h)
	for _, object := range i.store.List() {
		h.OnAdd(object, true)
	}
	return i, nil
}

func (i *informer) set(t require.TestingT, object metav1.Object) {
	former, exists, err := i.store.GetByKey(object.GetName())
	require.NoError(t, err)
	require.NoError(t, i.store.Add(object))
	for _, h := range i.handlers {
		if exists {
			h.OnUpdate(former, object)
		} else {
			h.OnAdd(object, false)
		}
	}
}

func (i *informer) delete(t require.TestingT, object metav1.Object) {
	require.NoError(t, i.store.Delete(object))
	for _, h := range i.handlers {
		h.OnDelete(object)
	}
}

// api is a fake API that stores the applied conditions and records the writes.
type api struct {
	levels, schemas *informer
	unseen          []string // levels that are missing in the informer

	mu     sync.Mutex // guards the fields below
	writes []write
	reject error         // returned by the next write
	slow   time.Duration // duration of the next write
	gets   int
}

type write struct {
	at           time.Time
	name         string
	condition    flowcontrol.FlowSchemaCondition
	kind         types.PatchType
	options      metav1.PatchOptions
	subresources []string
}

var (
	_ SchemaPatcher = (*api)(nil)
	_ LevelGetter   = (*api)(nil)
	_ SchemaPatcher = typed.FlowSchemaInterface(nil)
	_ LevelGetter   = typed.PriorityLevelConfigurationInterface(nil)
)

func newAPI() *api { return &api{levels: newInformer(), schemas: newInformer()} }

func notFound(resource, name string) error {
	return apierrors.NewNotFound(schema.GroupResource{Group: flowcontrol.GroupName, Resource: resource}, name)
}

func (a *api) Patch(_ context.Context, name string, kind types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string) (*flowcontrol.FlowSchema, error) {
	var patch flowcontrol.FlowSchema
	if err := json.Unmarshal(data, &patch); err != nil {
		return nil, err
	}
	a.mu.Lock()
	slow := a.slow
	a.slow = 0
	a.mu.Unlock()
	<-time.After(slow)
	a.mu.Lock()
	a.writes = append(a.writes, write{time.Now(), name, patch.Status.Conditions[0], kind, options, subresources})
	reject := a.reject
	a.reject = nil
	a.mu.Unlock()
	if reject != nil {
		return nil, reject
	}
	if _, exists, _ := a.schemas.store.GetByKey(name); !exists {
		return nil, notFound("flowschemas", name)
	}
	a.say(name, patch.Status.Conditions[0])
	return nil, nil
}

// say sets a condition in the status of a schema.
func (a *api) say(name string, c flowcontrol.FlowSchemaCondition) {
	object, _, _ := a.schemas.store.GetByKey(name)
	changed := object.(*flowcontrol.FlowSchema).DeepCopy()
	changed.Status.Conditions = []flowcontrol.FlowSchemaCondition{c}
	a.schemas.set(panicking{}, changed)
}

func (a *api) Get(_ context.Context, name string, _ metav1.GetOptions) (*flowcontrol.PriorityLevelConfiguration, error) {
	a.mu.Lock()
	a.gets++
	a.mu.Unlock()
	if _, exists, _ := a.levels.store.GetByKey(name); exists || slices.Contains(a.unseen, name) {
		return levelOf(name), nil
	}
	return nil, notFound("prioritylevelconfigurations", name)
}

func (a *api) written() []write {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.writes)
}

func (a *api) controller() *Controller {
	return New(Config{Levels: a.levels, Schemas: a.schemas, SchemaPatcher: a, LevelGetter: a, Clock: clock.RealClock{}})
}

// panicking panics on a failed assertion where no test is available.
type panicking struct{}

func (panicking) Errorf(format string, _ ...any) { panic(format) }
func (panicking) FailNow()                       { panic("failed") }

func schemaOf(name, level string, conditions ...flowcontrol.FlowSchemaCondition) *flowcontrol.FlowSchema {
	return &flowcontrol.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       flowcontrol.FlowSchemaSpec{PriorityLevelConfiguration: flowcontrol.PriorityLevelConfigurationReference{Name: level}},
		Status:     flowcontrol.FlowSchemaStatus{Conditions: conditions},
	}
}

func levelOf(name string) *flowcontrol.PriorityLevelConfiguration {
	return &flowcontrol.PriorityLevelConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name}}
}
