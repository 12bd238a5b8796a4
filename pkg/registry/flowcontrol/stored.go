package flowcontrol

import (
	"context"
	"strconv"
	"sync/atomic"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/util/dryrun"

	informers "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/informers/externalversions/flowcontrol/v1"
	listers "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/listers/flowcontrol/v1"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// stored reads the stored configuration for package lint. It includes the schemas that this
// server has written, so that a client which writes two is warned about the second.
type stored struct {
	schemas *schemaCache
	levels  listers.PriorityLevelConfigurationLister
	// latest reads the most recent state of a level.
	latest rest.Getter
	// written is the latest resource version of a schema that this server wrote.
	written atomic.Uint64
}

// newStored returns a reader of what the informers have. It reads levels that they lack from
// latest.
func newStored(objects informers.Interface, latest rest.Getter) (*stored, error) {
	schemas, err := newSchemaCache(objects.FlowSchemas().Informer())
	return &stored{schemas: schemas, levels: objects.PriorityLevelConfigurations().Lister(), latest: latest}, err
}

// observe makes the reader wait for the writes of a store of schemas.
func (s *stored) observe(schemas *genericregistry.Store) {
	schemas.AfterCreate = func(object runtime.Object, options *metav1.CreateOptions) { s.wrote(object, options.DryRun) }
	schemas.AfterUpdate = func(object runtime.Object, options *metav1.UpdateOptions) { s.wrote(object, options.DryRun) }
	schemas.AfterDelete = func(object runtime.Object, options *metav1.DeleteOptions) { s.wrote(object, options.DryRun) }
}

// wrote records the resource version of a written object. It ignores dry runs:
// their version is the client's and may be in the future.
func (s *stored) wrote(object runtime.Object, dryRun []string) {
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
		latest := s.written.Load()
		if version <= latest || s.written.CompareAndSwap(latest, version) {
			return
		}
	}
}

// current returns a reader that includes this server's writes so far. Writes of
// other replicas may be missing.
func (s *stored) current() lint.Reader { return storedAt{stored: s, version: s.written.Load()} }

// storedAt reads schemas that are not older than version.
type storedAt struct {
	*stored
	version uint64
}

var _ lint.Reader = storedAt{}

// FlowSchemas implements lint.Reader.
func (s storedAt) FlowSchemas(ctx context.Context, users lint.UserMask) ([]*lint.Compared, error) {
	return s.schemas.list(ctx, s.version, users)
}

// PriorityLevels implements lint.Reader.
func (s *stored) PriorityLevels(context.Context) ([]*flowcontrolv1.PriorityLevelConfiguration, error) {
	return s.levels.List(labels.Everything())
}

// LevelExists implements lint.Reader.
func (s *stored) LevelExists(_ context.Context, name string) (bool, error) {
	_, err := s.levels.Get(name)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// LevelIsAbsent implements lint.Reader. It reads the most recent state.
func (s *stored) LevelIsAbsent(ctx context.Context, name string) (bool, error) {
	_, err := s.latest.Get(ctx, name, &metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	return false, err
}
