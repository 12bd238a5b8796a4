package configsync

import (
	"context"
	"errors"
	"fmt"
	"time"

	flowcontrol "k8s.io/api/flowcontrol/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// pausePerWork is how long to pause after a translation, in multiples of what
// it took.
const pausePerWork = 4

// Applier is what follows the API.
type Applier interface {
	// Apply puts a configuration into effect and returns what it left out.
	Apply(engine.Configuration) []engine.Problem
}

var _ Applier = (*engine.Engine)(nil)

// Config is what a Controller needs.
type Config struct {
	// Levels and Schemas are the informers of the two kinds, in
	// k8s.io/api/flowcontrol/v1. They are started by their owner.
	Levels, Schemas cache.SharedIndexInformer
	Engine          Applier
	// Total is the number of seats of the server.
	Total int
	Clock clock.Clock
	// Report is told of each problem once; nil means to log it.
	Report func(engine.Problem)
}

// Controller keeps the engine's configuration up to date. Create one with New.
type Controller struct {
	config     Config
	translator *Translator
	reported   map[subject]string // what was said of whom

	registrations []cache.ResourceEventHandlerRegistration
	// changed holds one value if there is something to do.
	changed chan struct{}
	// applied is closed when the API's configuration is in effect.
	applied chan struct{}
}

type subject struct {
	kind engine.Kind
	name string
}

// New returns a Controller that listens to the informers from now on. Run does
// the work.
func New(config Config) (*Controller, error) {
	if config.Report == nil {
		config.Report = func(p engine.Problem) {
			klog.ErrorS(p.Err, "Malformed flow control object; its last good form, if any, stays in effect", "kind", p.Kind, "name", p.Name)
		}
	}
	c := &Controller{
		config:     config,
		translator: NewTranslator(config.Total),
		reported:   map[subject]string{},
		changed:    make(chan struct{}, 1),
		applied:    make(chan struct{}),
	}
	for _, informer := range []cache.SharedIndexInformer{config.Levels, config.Schemas} {
		registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { c.note() },
			DeleteFunc: func(any) { c.note() },
			UpdateFunc: func(former, object any) {
				if !sameSpec(former, object) {
					c.note()
				}
			},
		})
		if err != nil {
			return nil, fmt.Errorf("listening to an informer of flow control objects: %w", err)
		}
		c.registrations = append(c.registrations, registration)
	}
	return c, nil
}

// sameSpec tells whether two versions of an object mean the same to the engine.
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

func (c *Controller) note() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// Applied returns a channel that is closed when the engine has been given the
// configuration of the API for the first time.
func (c *Controller) Applied() <-chan struct{} { return c.applied }

// Run keeps the engine up to date until the context ends. It returns an error
// if the context ends before the informers have seen the API.
func (c *Controller) Run(ctx context.Context) error {
	synced := []cache.InformerSynced{c.config.Levels.HasSynced, c.config.Schemas.HasSynced}
	for _, registration := range c.registrations {
		synced = append(synced, registration.HasSynced)
	}
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		return errors.New("the informers of flow control objects did not sync before the end")
	}
	c.note()
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
		c.pause(ctx, pausePerWork*c.config.Clock.Since(start))
	}
}

func (c *Controller) pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := c.config.Clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C():
	}
}

// apply gives the engine what the informers hold.
func (c *Controller) apply() {
	// Schemas first: whatever level they were written after is then more
	// likely to be there.
	schemas := objects[*flowcontrol.FlowSchema](c.config.Schemas)
	levels := objects[*flowcontrol.PriorityLevelConfiguration](c.config.Levels)
	configuration, problems := c.translator.Translate(levels, schemas)
	c.report(append(problems, c.config.Engine.Apply(configuration)...))
}

func objects[O any](informer cache.SharedIndexInformer) []O {
	stored := informer.GetStore().List()
	list := make([]O, 0, len(stored))
	for _, object := range stored {
		list = append(list, object.(O))
	}
	return list
}

// report tells of the problems that are new, and forgets those that are gone.
func (c *Controller) report(problems []engine.Problem) {
	now := make(map[subject]string, len(problems))
	for _, p := range problems {
		s := subject{p.Kind, p.Name}
		now[s] = p.Err.Error()
		if c.reported[s] != now[s] {
			c.config.Report(p)
		}
	}
	c.reported = now
}
