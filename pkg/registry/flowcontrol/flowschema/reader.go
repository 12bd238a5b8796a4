package flowschema

import (
	"context"
	"strconv"
	"sync/atomic"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/util/dryrun"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	conversion "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/v1"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// anyVersion reads from the watch cache, whatever its resource version.
const anyVersion = "0"

// reader reads the configuration for package lint. It includes what this server
// has written, so that a client which writes two schemas is warned about the
// second.
type reader struct {
	schemas *schemaCache
	levels  Levels
	// written is the latest resource version at which this server wrote a schema.
	written atomic.Uint64
}

// Levels reads the stored priority levels.
type Levels interface {
	rest.Getter
	rest.Lister
}

// newReader returns a reader of the store that observes its writes. The caller
// must stop its cache.
func newReader(schemas *genericregistry.Store, levels Levels) *reader {
	r := &reader{schemas: newSchemaCache(schemas), levels: levels}
	schemas.AfterCreate = func(object runtime.Object, options *metav1.CreateOptions) { r.observe(object, options.DryRun) }
	schemas.AfterUpdate = func(object runtime.Object, options *metav1.UpdateOptions) { r.observe(object, options.DryRun) }
	schemas.AfterDelete = func(object runtime.Object, options *metav1.DeleteOptions) { r.observe(object, options.DryRun) }
	return r
}

// observe records the resource version of a written object. It ignores dry runs:
// their version is the client's and may be in the future.
func (r *reader) observe(object runtime.Object, dryRun []string) {
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
		latest := r.written.Load()
		if version <= latest || r.written.CompareAndSwap(latest, version) {
			return
		}
	}
}

// current returns a reader that includes this server's writes so far. Writes of
// other replicas may be missing.
func (r *reader) current() readerAt { return readerAt{reader: r, version: r.written.Load()} }

// readerAt reads schemas that are not older than version.
type readerAt struct {
	*reader
	version uint64
}

var _ lint.Reader = readerAt{}

// FlowSchemas implements lint.Reader.
func (r readerAt) FlowSchemas(ctx context.Context, users lint.UserMask) ([]*flowcontrolv1.FlowSchema, error) {
	return r.schemas.list(ctx, r.version, users)
}

// PriorityLevels implements lint.Reader. It reads from the watch cache.
func (r *reader) PriorityLevels(ctx context.Context) ([]*flowcontrolv1.PriorityLevelConfiguration, error) {
	list, err := r.levels.List(ctx, &metainternalversion.ListOptions{ResourceVersion: anyVersion})
	if err != nil {
		return nil, err
	}
	items := list.(*flowcontrol.PriorityLevelConfigurationList).Items
	levels := make([]*flowcontrolv1.PriorityLevelConfiguration, len(items))
	for i := range items {
		levels[i] = &flowcontrolv1.PriorityLevelConfiguration{}
		utilruntime.Must(conversion.Convert_flowcontrol_PriorityLevelConfiguration_To_v1_PriorityLevelConfiguration(&items[i], levels[i], nil)) // never fails
	}
	return levels, nil
}

// LevelExists implements lint.Reader. It reads from the watch cache.
func (r *reader) LevelExists(ctx context.Context, name string) (bool, error) {
	absent, err := r.isAbsent(ctx, name, anyVersion)
	return err == nil && !absent, err
}

// LevelIsAbsent implements lint.Reader. It reads the most recent state.
func (r *reader) LevelIsAbsent(ctx context.Context, name string) (bool, error) {
	return r.isAbsent(ctx, name, "")
}

func (r *reader) isAbsent(ctx context.Context, name, version string) (bool, error) {
	_, err := r.levels.Get(ctx, name, &metav1.GetOptions{ResourceVersion: version})
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	return false, err
}
