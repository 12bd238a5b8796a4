package statussync

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	flowcontrol "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/mandatory"
)

// FieldManager is whom the conditions belong to in managedFields: the same as
// that of kube-apiserver, which writes the same.
const FieldManager = "api-priority-and-fairness-config-consumer-v1"

// maxJitter bounds the chance that is added to waiting for the budget.
const maxJitter = 15 * time.Second

// SchemaPatcher writes FlowSchemas.
type SchemaPatcher interface {
	Patch(ctx context.Context, name string, kind types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string) (*flowcontrol.FlowSchema, error)
}

// LevelGetter reads PriorityLevelConfigurations from the API.
type LevelGetter interface {
	Get(ctx context.Context, name string, options metav1.GetOptions) (*flowcontrol.PriorityLevelConfiguration, error)
}

// Config is what a Controller needs.
type Config struct {
	// Levels and Schemas are the informers of the two kinds, in
	// k8s.io/api/flowcontrol/v1. They are started by their owner.
	Levels, Schemas cache.SharedIndexInformer
	SchemaPatcher   SchemaPatcher
	LevelGetter     LevelGetter
	Clock           clock.WithTicker
}

// Controller keeps the conditions true. Create one with New.
type Controller struct {
	config Config
	queue  workqueue.TypedRateLimitingInterface[string] // of names of schemas
	budget budget                                       // used by the one worker

	registrations []cache.ResourceEventHandlerRegistration
}

// New returns a Controller that listens to the informers from now on. Run does
// the work.
func New(config Config) (*Controller, error) {
	c := &Controller{
		config: config,
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.NewTypedItemExponentialFailureRateLimiter[string](200*time.Millisecond, 5*time.Minute),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "flowschema_status", Clock: config.Clock},
		),
		budget: budget{},
	}
	if err := c.listen(config.Schemas, cache.ResourceEventHandlerDetailedFuncs{
		AddFunc:    func(object any, _ bool) { c.enqueue(object) },
		UpdateFunc: func(_, object any) { c.enqueue(object) },
		DeleteFunc: c.enqueue,
	}); err != nil {
		return nil, err
	}
	if err := c.listen(config.Levels, cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(object any, initial bool) {
			// Every schema is looked at in the beginning anyhow.
			if !initial {
				c.enqueueSchemasOf(object)
			}
		},
		DeleteFunc: c.enqueueSchemasOf,
	}); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Controller) listen(informer cache.SharedIndexInformer, handler cache.ResourceEventHandler) error {
	registration, err := informer.AddEventHandler(handler)
	if err != nil {
		return fmt.Errorf("listening to an informer of flow control objects: %w", err)
	}
	c.registrations = append(c.registrations, registration)
	return nil
}

// enqueue is given a schema, or what an informer leaves of one.
func (c *Controller) enqueue(object any) {
	// The only error is an object without metadata.
	if name, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
		c.queue.Add(name)
	}
}

func (c *Controller) enqueueSchemasOf(level any) {
	name, err := cache.DeletionHandlingMetaNamespaceKeyFunc(level)
	if err != nil {
		return
	}
	for _, object := range c.config.Schemas.GetStore().List() {
		if schema := object.(*flowcontrol.FlowSchema); schema.Spec.PriorityLevelConfiguration.Name == name {
			c.queue.Add(schema.Name)
		}
	}
}

// Run keeps the conditions true until the context ends. It returns an error if
// the context ends before the informers have seen the API. It may be called
// once.
func (c *Controller) Run(ctx context.Context) error {
	defer c.queue.ShutDown()
	synced := []cache.InformerSynced{c.config.Levels.HasSynced, c.config.Schemas.HasSynced}
	for _, registration := range c.registrations {
		synced = append(synced, registration.HasSynced)
	}
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		return errors.New("the informers of flow control objects did not sync before the end")
	}
	stopQueue := context.AfterFunc(ctx, c.queue.ShutDown)
	defer stopQueue()
	for c.next(ctx) {
	}
	return nil
}

// next serves one schema; it returns false when the queue has been shut down.
func (c *Controller) next(ctx context.Context) bool {
	name, down := c.queue.Get()
	if down {
		return false
	}
	defer c.queue.Done(name)
	wait, err := c.sync(ctx, name)
	switch {
	case err != nil:
		if ctx.Err() == nil {
			klog.ErrorS(err, "Cannot keep the status of a FlowSchema; trying again", "flowSchema", name)
		}
		c.queue.AddRateLimited(name)
	case wait > 0:
		c.queue.AddAfter(name, wait)
	default:
		c.queue.Forget(name)
	}
	return true
}

// sync makes the condition of one schema true, or returns how long to wait
// with that.
func (c *Controller) sync(ctx context.Context, name string) (wait time.Duration, err error) {
	object, exists, err := c.config.Schemas.GetStore().GetByKey(name)
	if err != nil {
		return 0, fmt.Errorf("looking up FlowSchema %q: %w", name, err)
	}
	if !exists {
		c.budget.forget(name)
		return 0, nil
	}
	schema := object.(*flowcontrol.FlowSchema)
	now := c.config.Clock.Now()
	level := schema.Spec.PriorityLevelConfiguration.Name
	found := c.known(level)
	done, wanted := says(schema, condition(level, found, metav1.NewTime(now)))
	if done {
		return 0, nil
	}
	if !found {
		if found, err = c.exists(ctx, level); err != nil {
			return 0, err
		}
		if done, wanted = says(schema, condition(level, found, metav1.NewTime(now))); done {
			return 0, nil
		}
	}
	if wait := c.budget.wait(name, c.config.Clock.Now()); wait > 0 {
		return wait + rand.N(maxJitter), nil //nolint:gosec // chance, not a secret
	}
	err = c.write(ctx, name, wanted)
	// Only now: a slow API may have written at any moment until here.
	c.budget.spend(name, c.config.Clock.Now())
	return 0, err
}

// known tells whether a level exists as far as the informer knows.
func (c *Controller) known(level string) bool {
	if level == mandatory.Exempt || level == mandatory.CatchAll {
		return true
	}
	_, exists, err := c.config.Levels.GetStore().GetByKey(level)
	return err == nil && exists
}

// exists asks the API whether a level does.
func (c *Controller) exists(ctx context.Context, level string) (bool, error) {
	_, err := c.config.LevelGetter.Get(ctx, level, metav1.GetOptions{})
	switch {
	case err == nil:
		return true, nil
	case apierrors.IsNotFound(err):
		return false, nil
	default:
		return false, fmt.Errorf("asking for PriorityLevelConfiguration %q: %w", level, err)
	}
}

// write puts a condition into the status of a schema, if that still exists.
func (c *Controller) write(ctx context.Context, name string, wanted flowcontrol.FlowSchemaCondition) error {
	patch, err := applyPatch(name, wanted)
	if err != nil {
		return fmt.Errorf("composing the status of FlowSchema %q: %w", name, err)
	}
	_, err = c.config.SchemaPatcher.Patch(ctx, name, types.ApplyPatchType, patch,
		metav1.PatchOptions{FieldManager: FieldManager, Force: new(true)}, "status")
	if apierrors.IsInvalid(err) {
		// Apply cannot compare versions of an object with an item twice in a set,
		// but the same body is a merge patch too. The object loses its record of
		// managers by that, as by any update, and can be applied to again.
		_, err = c.config.SchemaPatcher.Patch(ctx, name, types.StrategicMergePatchType, patch,
			metav1.PatchOptions{FieldManager: FieldManager}, "status")
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("writing the status of FlowSchema %q: %w", name, err)
	}
	return nil
}
