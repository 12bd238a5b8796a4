package flowschema

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	conversion "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/v1"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// cacheTimeout bounds how long a read waits for a resource version, as in the
// library's watch cache.
const cacheTimeout = 3 * time.Second

// source is what a schemaCache lists and watches.
type source interface {
	rest.Lister
	rest.Watcher
}

// schemaCache holds all schemas, kept up to date by an in-process watch. Listing
// the watch cache instead would copy every object; for 10,000 of them that costs
// more than the rest of a write.
type schemaCache struct {
	source source
	// ctx is that of the watch; stop cancels it.
	ctx       context.Context //nolint:containedctx // the watch outlives the request that starts it
	cancel    context.CancelFunc
	startOnce sync.Once
	running   sync.WaitGroup

	mu      sync.Mutex    // guards the fields below
	schemas []entry       // sorted by name
	version uint64        // the resource version reached; 0 before the first list
	changed chan struct{} // closed when version changes
}

// entry is a schema in the form of package lint, with its mask, by which most are
// skipped without reading the schema.
type entry struct {
	*flowcontrolv1.FlowSchema
	users lint.UserMask
}

func newEntry(schema *flowcontrol.FlowSchema) entry {
	converted := forLint(schema)
	return entry{FlowSchema: converted, users: lint.MaskOf(converted)}
}

// forLint returns the schema in the form of package lint. They share their rules.
func forLint(schema *flowcontrol.FlowSchema) *flowcontrolv1.FlowSchema {
	converted := &flowcontrolv1.FlowSchema{}
	utilruntime.Must(conversion.Convert_flowcontrol_FlowSchema_To_v1_FlowSchema(schema, converted, nil)) // never fails
	return converted
}

var (
	_ cache.ReflectorStore         = (*schemaCache)(nil)
	_ cache.ResourceVersionUpdater = (*schemaCache)(nil)
)

func newSchemaCache(source source) *schemaCache {
	ctx, cancel := context.WithCancel(context.Background())
	return &schemaCache{source: source, ctx: ctx, cancel: cancel, changed: make(chan struct{})}
}

// start starts the watch on the first call.
func (c *schemaCache) start() {
	c.startOnce.Do(func() {
		reflector := cache.NewReflectorWithOptions(&cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
				return c.source.List(ctx, internal(options))
			},
			WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				return c.source.Watch(ctx, internal(options))
			},
		}, nil, c, cache.ReflectorOptions{Name: "lint", TypeDescription: "FlowSchemas"}) // no expected type: see schemaOf
		c.running.Go(func() { reflector.RunWithContext(c.ctx) })
	})
}

// stop stops the watch and waits until it has ended.
func (c *schemaCache) stop() {
	c.startOnce.Do(func() {}) // prevents a later start
	c.cancel()
	c.running.Wait()
}

// internal converts the options that a reflector sets.
func internal(options metav1.ListOptions) *metainternalversion.ListOptions {
	return &metainternalversion.ListOptions{
		AllowWatchBookmarks:  options.AllowWatchBookmarks,
		ResourceVersion:      options.ResourceVersion,
		ResourceVersionMatch: options.ResourceVersionMatch,
		Limit:                options.Limit,
		Continue:             options.Continue,
	}
}

// list returns the schemas whose masks may intersect users, sorted by name. They
// are read only and not older than the version; waiting for it is an error after
// cacheTimeout.
func (c *schemaCache) list(ctx context.Context, version uint64, users lint.UserMask) ([]*flowcontrolv1.FlowSchema, error) {
	c.start()
	ctx, cancel := context.WithTimeoutCause(ctx, cacheTimeout, fmt.Errorf("FlowSchemas did not reach resource version %d within %v", version, cacheTimeout))
	defer cancel()
	for {
		schemas, changed := c.tryList(version, users)
		if changed == nil {
			return schemas, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// tryList returns the schemas if the cache has reached the version, and otherwise
// a channel that is closed when its version changes.
func (c *schemaCache) tryList(version uint64, users lint.UserMask) ([]*flowcontrolv1.FlowSchema, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version < max(version, 1) {
		return nil, c.changed
	}
	count := 0
	for i := range c.schemas {
		if c.schemas[i].users.MayIntersect(users) {
			count++
		}
	}
	found := make([]*flowcontrolv1.FlowSchema, 0, count)
	for i := range c.schemas {
		if c.schemas[i].users.MayIntersect(users) {
			found = append(found, c.schemas[i].FlowSchema)
		}
	}
	return found, nil
}

// Add adds or replaces a schema.
func (c *schemaCache) Add(object any) error {
	schema := newEntry(schemaOf(object))
	c.mu.Lock()
	defer c.mu.Unlock()
	at, found := c.findLocked(schema.Name)
	if found {
		c.schemas[at] = schema
	} else {
		c.schemas = slices.Insert(c.schemas, at, schema)
	}
	return nil
}

// Update is Add.
func (c *schemaCache) Update(object any) error { return c.Add(object) }

// Delete deletes a schema.
func (c *schemaCache) Delete(object any) error {
	name := schemaOf(object).Name
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, found := c.findLocked(name); found {
		c.schemas = slices.Delete(c.schemas, at, at+1)
	}
	return nil
}

// Replace replaces all schemas.
func (c *schemaCache) Replace(objects []any, version string) error {
	schemas := make([]entry, 0, len(objects))
	for _, object := range objects {
		schemas = append(schemas, newEntry(schemaOf(object)))
	}
	slices.SortFunc(schemas, func(a, b entry) int { return cmp.Compare(a.Name, b.Name) })
	c.mu.Lock()
	c.schemas = schemas
	c.mu.Unlock()
	c.UpdateResourceVersion(version)
	return nil
}

// Resync does nothing: the schemas are the objects themselves.
func (c *schemaCache) Resync() error { return nil }

// UpdateResourceVersion records that the cache has all changes up to the version.
func (c *schemaCache) UpdateResourceVersion(version string) {
	reached, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version = reached
	close(c.changed)
	c.changed = make(chan struct{})
}

// schemaOf returns the schema of an event. The watch cache wraps it if there are
// several watchers.
func schemaOf(object any) *flowcontrol.FlowSchema {
	if wrapped, ok := object.(runtime.CacheableObject); ok {
		object = wrapped.GetObject()
	}
	return object.(*flowcontrol.FlowSchema)
}

// findLocked returns the index at which the schema is, or would be inserted.
func (c *schemaCache) findLocked(name string) (int, bool) {
	return slices.BinarySearchFunc(c.schemas, name, func(schema entry, name string) int { return cmp.Compare(schema.Name, name) })
}
