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

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// FieldManager owns the conditions in managedFields. kube-apiserver writes the same conditions
// under this name.
const FieldManager = "api-priority-and-fairness-config-consumer-v1"

// maxJitter is the largest random delay added to the wait for the next write.
const maxJitter = 15 * time.Second

// SchemaPatcher patches FlowSchemas.
type SchemaPatcher interface {
	Patch(ctx context.Context, name string, kind types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string) (*flowcontrol.FlowSchema, error)
}

// LevelGetter reads PriorityLevelConfigurations from the API.
type LevelGetter interface {
	Get(ctx context.Context, name string, options metav1.GetOptions) (*flowcontrol.PriorityLevelConfiguration, error)
}

// Config configures a Controller.
type Config struct {
	// Levels and Schemas are the informers of PriorityLevelConfigurations and
	// FlowSchemas in k8s.io/api/flowcontrol/v1. The caller starts them.
	Levels, Schemas cache.SharedIndexInformer
	SchemaPatcher   SchemaPatcher
	LevelGetter     LevelGetter
	Clock           clock.WithTicker
}

// Controller maintains the conditions. Create one with New.
type Controller struct {
	config Config
	queue  workqueue.TypedRateLimitingInterface[string] // of names of schemas
	limit  writeLimiter                                 // used by the one worker

	registrations []cache.ResourceEventHandlerRegistration
}

// New returns a Controller. Run adds its event handlers to the informers, and writes
// the conditions.
func New(config Config) *Controller { return &Controller{config: config, limit: writeLimiter{}} }

// follow makes a queue of the schemas that may need another condition.
func (c *Controller) follow() error {
	c.queue = workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.NewTypedItemExponentialFailureRateLimiter[string](200*time.Millisecond, 5*time.Minute),
		workqueue.TypedRateLimitingQueueConfig[string]{Name: "flowschema_status", Clock: c.config.Clock},
	)
	if err := c.addEventHandler(c.config.Schemas, cache.ResourceEventHandlerDetailedFuncs{
		AddFunc:    func(object any, _ bool) { c.enqueue(object) },
		UpdateFunc: func(_, object any) { c.enqueue(object) },
		DeleteFunc: c.enqueue,
	}); err != nil {
		return err
	}
	return c.addEventHandler(c.config.Levels, cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(object any, initial bool) {
			// The initial schemas are enqueued anyway.
			if !initial {
				c.enqueueSchemasOf(object)
			}
		},
		DeleteFunc: c.enqueueSchemasOf,
	})
}

func (c *Controller) addEventHandler(informer cache.SharedIndexInformer, handler cache.ResourceEventHandler) error {
	registration, err := informer.AddEventHandler(handler)
	if err != nil {
		return fmt.Errorf("adding an event handler to an informer of flow control objects: %w", err)
	}
	c.registrations = append(c.registrations, registration)
	return nil
}

// enqueue adds a schema, or the tombstone of one, to the queue.
func (c *Controller) enqueue(object any) {
	// Only an object without metadata is an error.
	if name, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
		c.queue.Add(name)
	}
}

// enqueueSchemasOf adds the schemas that name a level to the queue.
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

// Run writes conditions until the context ends. It returns an error if the context
// ends before the informers have synced. It must be called once only.
func (c *Controller) Run(ctx context.Context) error {
	err := c.follow()
	defer c.queue.ShutDown()
	if err != nil {
		return err
	}
	synced := []cache.InformerSynced{c.config.Levels.HasSynced, c.config.Schemas.HasSynced}
	for _, registration := range c.registrations {
		synced = append(synced, registration.HasSynced)
	}
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		return errors.New("the informers of FlowSchemas and PriorityLevelConfigurations did not sync before shutdown")
	}
	stopQueue := context.AfterFunc(ctx, c.queue.ShutDown)
	defer stopQueue()
	for c.next(ctx) {
	}
	return nil
}

// next syncs the next schema in the queue. It returns false after shutdown.
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
			klog.ErrorS(err, "Failed to update the status of a FlowSchema, will retry", "flowSchema", name)
		}
		c.queue.AddRateLimited(name)
	case wait > 0:
		c.queue.AddAfter(name, wait)
	default:
		c.queue.Forget(name)
	}
	return true
}

// sync writes the condition of one schema if it is wrong, or returns how long to
// wait before that.
func (c *Controller) sync(ctx context.Context, name string) (wait time.Duration, err error) {
	object, exists, err := c.config.Schemas.GetStore().GetByKey(name)
	if err != nil {
		return 0, fmt.Errorf("looking up FlowSchema %q: %w", name, err)
	}
	if !exists {
		delete(c.limit, name)
		return 0, nil
	}
	schema := object.(*flowcontrol.FlowSchema)
	now := c.config.Clock.Now()
	level := schema.Spec.PriorityLevelConfiguration.Name
	found := c.isCached(level)
	done, wanted := isCurrent(schema, condition(level, found, metav1.NewTime(now)))
	if done {
		return 0, nil
	}
	if !found {
		if found, err = c.exists(ctx, level); err != nil {
			return 0, err
		}
		if done, wanted = isCurrent(schema, condition(level, found, metav1.NewTime(now))); done {
			return 0, nil
		}
	}
	if wait := c.limit.wait(name, c.config.Clock.Now()); wait > 0 {
		return wait + rand.N(maxJitter), nil //nolint:gosec // a random delay is no secret
	}
	err = c.write(ctx, name, wanted)
	// Not before the write: a slow API may write at any time until it responds.
	c.limit.record(name, c.config.Clock.Now())
	return 0, err
}

// isCached reports whether a level is mandatory or in the informer.
func (c *Controller) isCached(level string) bool {
	if level == rules.Exempt || level == rules.CatchAll {
		return true
	}
	_, exists, err := c.config.Levels.GetStore().GetByKey(level)
	return err == nil && exists
}

// exists gets a level from the API and reports whether it exists.
func (c *Controller) exists(ctx context.Context, level string) (bool, error) {
	_, err := c.config.LevelGetter.Get(ctx, level, metav1.GetOptions{})
	switch {
	case err == nil:
		return true, nil
	case apierrors.IsNotFound(err):
		return false, nil
	default:
		return false, fmt.Errorf("getting PriorityLevelConfiguration %q: %w", level, err)
	}
}

// write writes a condition to the status of a schema, unless that was deleted.
func (c *Controller) write(ctx context.Context, name string, wanted flowcontrol.FlowSchemaCondition) error {
	patch, err := applyPatch(name, wanted)
	if err != nil {
		return fmt.Errorf("composing the status of FlowSchema %q: %w", name, err)
	}
	klog.V(4).InfoS("Writing the condition Dangling of a FlowSchema", "flowSchema", name, "status", wanted.Status, "message", wanted.Message)
	_, err = c.config.SchemaPatcher.Patch(ctx, name, types.ApplyPatchType, patch,
		metav1.PatchOptions{FieldManager: FieldManager, Force: new(true)}, "status")
	if apierrors.IsInvalid(err) {
		// Server-side apply fails for an object that has an item twice in a set. A
		// strategic merge patch of the same body works, and resets the managedFields,
		// so that the next apply succeeds.
		_, err = c.config.SchemaPatcher.Patch(ctx, name, types.StrategicMergePatchType, patch,
			metav1.PatchOptions{FieldManager: FieldManager}, "status")
	}
	switch {
	case apierrors.IsNotFound(err):
		klog.V(5).InfoS("FlowSchema was deleted before its status was written", "flowSchema", name)
	case err != nil:
		return fmt.Errorf("writing the status of FlowSchema %q: %w", name, err)
	}
	return nil
}
