package flowschema

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// mirrorPatience is how long a reader waits for the mirror to get as far as it
// asks for; that of the library's watch cache.
const mirrorPatience = 3 * time.Second

// source is where a mirror has its schemas from.
type source interface {
	rest.Lister
	rest.Watcher
}

// mirror follows all schemas by a watch inside this process. A list of the watch
// cache copies every object into a new one; of 10,000 that costs more than all
// else in a write.
type mirror struct {
	source source
	// ctx is that of the watch, ended by stop.
	ctx    context.Context //nolint:containedctx // the watch outlives the request that starts it
	cancel context.CancelFunc
	begin  sync.Once
	ended  sync.WaitGroup

	mu      sync.Mutex    // guards what follows
	schemas []reflection  // by name
	version uint64        // how far it is; 0: it has not listed yet
	moved   chan struct{} // closed when the version changes
}

// reflection is a schema and, beside it in memory, what nearly all are told
// apart by.
type reflection struct {
	*flowcontrol.FlowSchema
	users lint.Users
}

func reflect(schema *flowcontrol.FlowSchema) reflection {
	return reflection{FlowSchema: schema, users: lint.UsersOf(schema)}
}

var (
	_ cache.ReflectorStore         = (*mirror)(nil)
	_ cache.ResourceVersionUpdater = (*mirror)(nil)
)

func newMirror(source source) *mirror {
	ctx, cancel := context.WithCancel(context.Background())
	return &mirror{source: source, ctx: ctx, cancel: cancel, moved: make(chan struct{})}
}

// start begins to follow the source, on the first call.
func (m *mirror) start() {
	m.begin.Do(func() {
		follower := cache.NewReflectorWithOptions(&cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
				return m.source.List(ctx, internal(options))
			},
			WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				return m.source.Watch(ctx, internal(options))
			},
		}, nil, m, cache.ReflectorOptions{Name: "advice", TypeDescription: "FlowSchemas"}) // no type: see schemaOf
		m.ended.Go(func() { follower.RunWithContext(m.ctx) })
	})
}

// stop ends what start began.
func (m *mirror) stop() {
	m.begin.Do(func() {}) // from now on there is nothing to start
	m.cancel()
	m.ended.Wait()
}

// internal are the options that a follower of all objects sets, as storage
// takes them.
func internal(options metav1.ListOptions) *metainternalversion.ListOptions {
	return &metainternalversion.ListOptions{
		AllowWatchBookmarks:  options.AllowWatchBookmarks,
		ResourceVersion:      options.ResourceVersion,
		ResourceVersionMatch: options.ResourceVersionMatch,
		Limit:                options.Limit,
		Continue:             options.Continue,
	}
}

// at returns the schemas whose users may meet the given ones, by name and not
// older than the version, or an error if that takes too long. They must not be
// changed.
func (m *mirror) at(ctx context.Context, version uint64, users lint.Users) ([]*flowcontrol.FlowSchema, error) {
	m.start()
	ctx, cancel := context.WithTimeoutCause(ctx, mirrorPatience, fmt.Errorf("version %d of the FlowSchemas is not known after %v", version, mirrorPatience))
	defer cancel()
	for {
		schemas, moved := m.look(version, users)
		if moved == nil {
			return schemas, nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// look returns the schemas if the mirror has reached the version, and otherwise
// what is closed when it moves on.
func (m *mirror) look(version uint64, users lint.Users) ([]*flowcontrol.FlowSchema, <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.version < max(version, 1) {
		return nil, m.moved
	}
	count := 0
	for i := range m.schemas {
		if m.schemas[i].users.MayMeet(users) {
			count++
		}
	}
	found := make([]*flowcontrol.FlowSchema, 0, count)
	for i := range m.schemas {
		if m.schemas[i].users.MayMeet(users) {
			found = append(found, m.schemas[i].FlowSchema)
		}
	}
	return found, nil
}

// Add takes a new or changed schema over from the watch.
func (m *mirror) Add(object any) error {
	schema := reflect(schemaOf(object))
	m.mu.Lock()
	defer m.mu.Unlock()
	at, found := m.find(schema.Name)
	if found {
		m.schemas[at] = schema
	} else {
		m.schemas = slices.Insert(m.schemas, at, schema)
	}
	return nil
}

// Update is Add.
func (m *mirror) Update(object any) error { return m.Add(object) }

// Delete forgets a schema.
func (m *mirror) Delete(object any) error {
	name := schemaOf(object).Name
	m.mu.Lock()
	defer m.mu.Unlock()
	if at, found := m.find(name); found {
		m.schemas = slices.Delete(m.schemas, at, at+1)
	}
	return nil
}

// Replace takes a whole list over.
func (m *mirror) Replace(objects []any, version string) error {
	schemas := make([]reflection, 0, len(objects))
	for _, object := range objects {
		schemas = append(schemas, reflect(schemaOf(object)))
	}
	slices.SortFunc(schemas, func(a, b reflection) int { return cmp.Compare(a.Name, b.Name) })
	m.mu.Lock()
	m.schemas = schemas
	m.mu.Unlock()
	m.UpdateResourceVersion(version)
	return nil
}

// Resync has nothing to do.
func (m *mirror) Resync() error { return nil }

// UpdateResourceVersion is told how far the mirror is once it has what happened
// up to there.
func (m *mirror) UpdateResourceVersion(version string) {
	reached, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.version = reached
	close(m.moved)
	m.moved = make(chan struct{})
}

// schemaOf is the schema in an event, which the watch cache wraps when several
// watchers get it.
func schemaOf(object any) *flowcontrol.FlowSchema {
	if wrapped, ok := object.(runtime.CacheableObject); ok {
		object = wrapped.GetObject()
	}
	return object.(*flowcontrol.FlowSchema)
}

// find returns where the schema of the name is, or would be. The lock is held.
func (m *mirror) find(name string) (int, bool) {
	return slices.BinarySearchFunc(m.schemas, name, func(schema reflection, name string) int { return cmp.Compare(schema.Name, name) })
}
