package flowschema

import (
	"context"
	"strconv"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/util/dryrun"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// anyVersion asks the watch cache for what it has.
const anyVersion = "0"

// catalogue follows what this server writes, so that whoever writes two schemas
// is told of the first when he writes the second.
type catalogue struct {
	schemas *mirror
	levels  rest.Getter
	// written is the latest resource version that this server wrote a schema at.
	written atomic.Uint64
}

// newCatalogue makes the store report its writes, and reads from it. Its mirror
// must be stopped.
func newCatalogue(schemas *genericregistry.Store, levels rest.Getter) *catalogue {
	c := &catalogue{schemas: newMirror(schemas), levels: levels}
	schemas.AfterCreate = func(object runtime.Object, options *metav1.CreateOptions) { c.note(object, options.DryRun) }
	schemas.AfterUpdate = func(object runtime.Object, options *metav1.UpdateOptions) { c.note(object, options.DryRun) }
	schemas.AfterDelete = func(object runtime.Object, options *metav1.DeleteOptions) { c.note(object, options.DryRun) }
	return c
}

// note remembers the version of an object. That of a dry run is what the request
// said, which may lie in the future.
func (c *catalogue) note(object runtime.Object, dryRun []string) {
	if dryrun.IsDryRun(dryRun) {
		return
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return
	}
	version, err := strconv.ParseUint(accessor.GetResourceVersion(), 10, 64)
	if err != nil {
		return
	}
	for {
		latest := c.written.Load()
		if version <= latest || c.written.CompareAndSwap(latest, version) {
			return
		}
	}
}

// now is the catalogue as of the writes so far. What other replicas wrote may be
// missing.
func (c *catalogue) now() snapshot { return snapshot{catalogue: c, version: c.written.Load()} }

// snapshot reads the watch caches as far as they go.
type snapshot struct {
	*catalogue
	version uint64
}

var _ lint.Catalogue = snapshot{}

// FlowSchemas returns the schemas of such users, not older than the version.
func (s snapshot) FlowSchemas(ctx context.Context, users lint.Users) ([]*flowcontrol.FlowSchema, error) {
	return s.schemas.at(ctx, s.version, users)
}

// LevelExists looks into the cache.
func (c *catalogue) LevelExists(ctx context.Context, name string) (bool, error) {
	absent, err := c.isAbsent(ctx, name, anyVersion)
	return err == nil && !absent, err
}

// LevelIsAbsent asks the store for the most recent.
func (c *catalogue) LevelIsAbsent(ctx context.Context, name string) (bool, error) {
	return c.isAbsent(ctx, name, "")
}

func (c *catalogue) isAbsent(ctx context.Context, name, version string) (bool, error) {
	_, err := c.levels.Get(ctx, name, &metav1.GetOptions{ResourceVersion: version})
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	return false, err
}
