package flowcontrol

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

const (
	// cacheTimeout bounds how long a read waits for a resource version, as in the library's
	// watch cache.
	cacheTimeout = 3 * time.Second
	// syncInterval is the time between two looks at an informer that has not listed yet.
	syncInterval = 10 * time.Millisecond
)

// schemaCache has the schemas of an informer in order, each with what comparisons with it need: a write
// is compared with stored schemas, and many writes with the same ones.
// FlowSchemas are in memory twice: in the watch cache, which serves clients, and in the informer,
// which tells the engine and the keeper of changes. Listing the watch cache for a warning would
// copy every object; for 10,000 of them that costs more than the rest of a write.
type schemaCache struct {
	// synced reports whether the informer has delivered its first list.
	synced func() bool

	mu      sync.Mutex    // guards the fields below
	schemas []entry       // sorted by name
	version uint64        // the highest resource version of a change
	changed chan struct{} // closed when version changes
}

// entry is a schema with its mask, which lets most be skipped without reading the schema.
type entry struct {
	*lint.Compared
	users lint.UserMask
}

var _ cache.ResourceEventHandler = (*schemaCache)(nil)

// newSchemaCache returns a cache of the schemas of the informer.
func newSchemaCache(schemas cache.SharedIndexInformer) (*schemaCache, error) {
	c := &schemaCache{changed: make(chan struct{})}
	registration, err := schemas.AddEventHandler(c)
	if err == nil {
		c.synced = registration.HasSynced
	}
	return c, err
}

// list returns the schemas whose masks may intersect users, sorted by name. They are read only and
// include the changes up to the version, unless the informer lists again meanwhile. Waiting for the
// version is an error after cacheTimeout.
func (c *schemaCache) list(ctx context.Context, version uint64, users lint.UserMask) ([]*lint.Compared, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, cacheTimeout, fmt.Errorf("FlowSchemas did not reach resource version %d within %v", version, cacheTimeout))
	defer cancel()
	if err := wait.PollUntilContextCancel(ctx, syncInterval, true, func(context.Context) (bool, error) { return c.synced(), nil }); err != nil {
		return nil, context.Cause(ctx)
	}
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
func (c *schemaCache) tryList(version uint64, users lint.UserMask) ([]*lint.Compared, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version < version {
		return nil, c.changed
	}
	count := 0
	for i := range c.schemas {
		if c.schemas[i].users.MayIntersect(users) {
			count++
		}
	}
	found := make([]*lint.Compared, 0, count)
	for i := range c.schemas {
		if c.schemas[i].users.MayIntersect(users) {
			found = append(found, c.schemas[i].Compared)
		}
	}
	return found, nil
}

// OnAdd implements cache.ResourceEventHandler.
func (c *schemaCache) OnAdd(object any, _ bool) { c.put(object.(*flowcontrolv1.FlowSchema)) }

// OnUpdate implements cache.ResourceEventHandler.
func (c *schemaCache) OnUpdate(_, object any) { c.put(object.(*flowcontrolv1.FlowSchema)) }

// OnDelete implements cache.ResourceEventHandler.
func (c *schemaCache) OnDelete(object any) {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = tombstone.Obj
	}
	schema := object.(*flowcontrolv1.FlowSchema)
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, found := c.findLocked(schema.Name); found {
		c.schemas = slices.Delete(c.schemas, at, at+1)
	}
	c.reachLocked(schema.ResourceVersion)
}

func (c *schemaCache) put(schema *flowcontrolv1.FlowSchema) {
	compared := lint.NewCompared(schema)
	put := entry{Compared: compared, users: compared.Mask()}
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, found := c.findLocked(schema.Name); found {
		c.schemas[at] = put
	} else {
		c.schemas = slices.Insert(c.schemas, at, put)
	}
	c.reachLocked(schema.ResourceVersion)
}

// findLocked returns the index of the schema, or where it would be inserted.
func (c *schemaCache) findLocked(name string) (int, bool) {
	return slices.BinarySearchFunc(c.schemas, name, func(schema entry, name string) int { return cmp.Compare(schema.Name, name) })
}

// reachLocked records that the cache has the change of a version.
func (c *schemaCache) reachLocked(version string) {
	reached, err := strconv.ParseUint(version, 10, 64)
	if err != nil || reached <= c.version {
		return
	}
	c.version = reached
	close(c.changed)
	c.changed = make(chan struct{})
}
