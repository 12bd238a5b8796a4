package configsync

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	flowcontrol "k8s.io/api/flowcontrol/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/periodic"
)

const (
	// pauseFactor is the pause after an application, in multiples of its duration.
	pauseFactor = 4
	// minPause is the shortest pause. With hundreds of schemas an application takes two milliseconds and
	// makes a megabyte of garbage, more than the write that it follows.
	minPause = 100 * time.Millisecond
)

// Applier applies configurations.
type Applier interface {
	// Apply replaces the configuration and returns its invalid objects.
	Apply(engine.Configuration) []engine.Problem
}

var _ Applier = (*engine.Engine)(nil)

// Config configures a Controller.
type Config struct {
	// Levels and Schemas are the informers of PriorityLevelConfigurations and
	// FlowSchemas in k8s.io/api/flowcontrol/v1. The caller starts them.
	Levels, Schemas cache.SharedIndexInformer
	Engine          Applier
	Clock           utilclock.Clock
	// Report is called once for each invalid object. The default logs it.
	Report func(engine.Problem)
}

// Controller applies the API objects to the engine. Create one with New.
type Controller struct {
	config   Config
	reported map[objectKey]string // the last error of each invalid object

	registrations []cache.ResourceEventHandlerRegistration
	// changed holds a value if there are changes to apply.
	changed chan struct{}
	// applied is closed after the first Apply.
	applied chan struct{}
	// pending is the number of changes that have been observed since the last Apply began.
	pending atomic.Int64

	mu         sync.Mutex // guards what follows, while it is translated too
	translator *Translator
	status     engine.ConfigurationStatus
	stale      bool // status is from an earlier translation, except for the time
}

type objectKey struct {
	kind engine.Kind
	name string
}

// New returns a Controller and adds its event handlers to the informers. Run applies
// the objects.
func New(config Config) (*Controller, error) {
	if config.Report == nil {
		config.Report = func(p engine.Problem) {
			klog.ErrorS(p.Err, "Invalid flow control object; what is invalid is ignored", "kind", p.Kind, "name", p.Name)
		}
	}
	c := &Controller{
		config:     config,
		translator: NewTranslator(),
		reported:   map[objectKey]string{},
		changed:    make(chan struct{}, 1),
		applied:    make(chan struct{}),
	}
	for _, informer := range []cache.SharedIndexInformer{config.Levels, config.Schemas} {
		registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { c.noticed(object, "added") },
			DeleteFunc: func(object any) { c.noticed(object, "deleted") },
			UpdateFunc: func(old, object any) {
				if !sameSpec(old, object) {
					c.noticed(object, "updated")
				}
			},
		})
		if err != nil {
			return nil, fmt.Errorf("adding an event handler to an informer of flow control objects: %w", err)
		}
		c.registrations = append(c.registrations, registration)
	}
	return c, nil
}

// sameSpec reports whether two versions of an object are equal for the engine.
func sameSpec(a, b any) bool {
	switch a := a.(type) {
	case *flowcontrol.FlowSchema:
		b := b.(*flowcontrol.FlowSchema)
		return a.UID == b.UID && apiequality.Semantic.DeepEqual(&a.Spec, &b.Spec)
	case *flowcontrol.PriorityLevelConfiguration:
		b := b.(*flowcontrol.PriorityLevelConfiguration)
		return a.UID == b.UID && apiequality.Semantic.DeepEqual(&a.Spec, &b.Spec)
	default:
		return false
	}
}

// noticed makes Run apply the objects because of a change of one of them, which may be
// the tombstone of a deleted one.
func (c *Controller) noticed(object any, change string) {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = tombstone.Obj
	}
	name, _ := cache.MetaNamespaceKeyFunc(object) // empty without metadata
	klog.V(7).InfoS("Flow control object changed", "change", change, "kind", kindOf(object), "name", name)
	c.pending.Add(1)
	c.notify()
}

func kindOf(object any) engine.Kind {
	if _, ok := object.(*flowcontrol.FlowSchema); ok {
		return engine.SchemaKind
	}
	return engine.LevelKind
}

// notify makes Run apply the objects.
func (c *Controller) notify() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// Applied returns a channel that is closed when the objects of the API have been
// applied for the first time.
func (c *Controller) Applied() <-chan struct{} { return c.applied }

// Run applies the objects, and each change of them, until the context ends. It
// returns an error if the context ends before the informers have synced.
func (c *Controller) Run(ctx context.Context) error {
	synced := []cache.InformerSynced{c.config.Levels.HasSynced, c.config.Schemas.HasSynced}
	for _, registration := range c.registrations {
		synced = append(synced, registration.HasSynced)
	}
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		return errors.New("the informers of FlowSchemas and PriorityLevelConfigurations did not sync before shutdown")
	}
	klog.InfoS("Informers of flow control have synced; applying the configuration")
	c.notify()
	for first := true; ; first = false {
		select {
		case <-ctx.Done():
			return nil
		case <-c.changed:
		}
		start := c.config.Clock.Now()
		c.apply()
		if first {
			close(c.applied)
		}
		periodic.Wait(ctx, c.config.Clock, max(minPause, pauseFactor*c.config.Clock.Since(start)))
	}
}

// apply translates and applies all objects. It lists levels after schemas: a level that was written
// before its schema is then more likely to be there.
func (c *Controller) apply() {
	observed := c.pending.Load()
	schemas := objects[*flowcontrol.FlowSchema](c.config.Schemas)
	levels := objects[*flowcontrol.PriorityLevelConfiguration](c.config.Levels)
	configuration, problems := c.translate(levels, schemas)
	c.report(append(problems, c.config.Engine.Apply(configuration)...))
	c.noteApplied(c.config.Clock.Now())
	c.pending.Add(-observed)
}

func (c *Controller) translate(levels []*flowcontrol.PriorityLevelConfiguration, schemas []*flowcontrol.FlowSchema) (engine.Configuration, []engine.Problem) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stale = true
	return c.translator.Translate(levels, schemas)
}

func (c *Controller) noteApplied(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status.AppliedAt = at
}

// Status returns how much of the stored configuration is enforced. It is safe for concurrent
// use. The result is read only.
func (c *Controller) Status() engine.ConfigurationStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stale {
		appliedAt := c.status.AppliedAt
		c.status, c.stale = c.translator.Status(), false
		c.status.AppliedAt = appliedAt
	}
	status := c.status
	status.Pending = int(c.pending.Load())
	return status
}

func objects[O any](informer cache.SharedIndexInformer) []O {
	stored := informer.GetStore().List()
	list := make([]O, 0, len(stored))
	for _, object := range stored {
		list = append(list, object.(O))
	}
	return list
}

// report reports the new problems, and forgets solved ones.
func (c *Controller) report(problems []engine.Problem) {
	now := make(map[objectKey]string, len(problems))
	for _, p := range problems {
		s := objectKey{p.Kind, p.Name}
		now[s] = p.Err.Error()
		if c.reported[s] != now[s] {
			c.config.Report(p)
		}
	}
	c.reported = now
}
