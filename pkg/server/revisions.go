package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/registry/generic"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/filters"
)

const (
	// revisionInterval is the time between two reads of etcd's revision.
	revisionInterval = 2 * time.Second
	// revisionTimeout bounds one read.
	revisionTimeout = 10 * time.Second
)

// revisionReader reads etcd's revision with a quorum.
type revisionReader interface {
	GetCurrentResourceVersion(ctx context.Context) (uint64, error)
}

// revisionMonitor notices an etcd that lost its data, or has that of an old snapshot:
// its revision is lower than one that this server has seen. The watches of the library's
// caches wait until etcd reaches their revision again, and keep objects that are gone. No
// cache can be told to read again, so the process ends, and its supervisor restarts it.
type revisionMonitor struct {
	store atomic.Pointer[revisionReader]
	// seen returns the revisions that the caches have, as text.
	seen []func() string
	// highest is the highest revision seen.
	highest uint64
	// lost is the error once a lower revision was read; failed delivers it once.
	lost   atomic.Pointer[error]
	failed chan error
}

// monitorRevisions makes the server not ready, and end, if etcd loses data. The embedded
// etcd is part of the process, and restored only while it does not run.
func (s *Server) monitorRevisions() error {
	if s.config.EmbeddedEtcd {
		return nil
	}
	monitor := &revisionMonitor{failed: make(chan error, 1)}
	s.revisions = monitor
	s.generic.RESTOptionsGetter = revisionRESTOptionsGetter{s.generic.RESTOptionsGetter, monitor}
	s.generic.AddReadyzChecks(healthz.NamedCheck(revisionsCheck, monitor.check))
	s.chain.checkMessages = append(s.chain.checkMessages, filters.FailureMessage(revisionsCheck,
		"etcd is at a lower revision than before: it lost data or was restored from a snapshot; this server restarts to read it again"))
	return s.generic.AddPostStartHook("etcd-revisions", func(hook genericapiserver.PostStartHookContext) error {
		v1 := s.informers.Flowcontrol().V1()
		monitor.seen = []func() string{
			v1.FlowSchemas().Informer().LastSyncResourceVersion, v1.PriorityLevelConfigurations().Informer().LastSyncResourceVersion,
		}
		go wait.UntilWithContext(hook, monitor.read, revisionInterval)
		return nil
	})
}

// check fails once etcd has lost data.
func (m *revisionMonitor) check(*http.Request) error {
	if err := m.lost.Load(); err != nil {
		return *err
	}
	return nil
}

// read compares etcd's revision with those seen before. An etcd that does not respond
// is the matter of another check.
func (m *revisionMonitor) read(ctx context.Context) {
	store := m.store.Load()
	if store == nil || m.lost.Load() != nil {
		return
	}
	for _, seen := range m.seen {
		if revision, err := strconv.ParseUint(seen(), 10, 64); err == nil {
			m.highest = max(m.highest, revision)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, revisionTimeout)
	defer cancel()
	revision, err := (*store).GetCurrentResourceVersion(ctx)
	if err != nil || revision >= m.highest {
		m.highest = max(m.highest, revision)
		return
	}
	err = fmt.Errorf("etcd is at revision %d, but was at %d before: it lost data or was restored from a snapshot; restart this server to read it again", revision, m.highest)
	klog.ErrorS(err, "Stopping because the objects in memory are not those in etcd")
	m.lost.Store(&err)
	m.failed <- err
}

// revisionRESTOptionsGetter tells a monitor the store of a resource.
type revisionRESTOptionsGetter struct {
	generic.RESTOptionsGetter
	monitor *revisionMonitor
}

var _ generic.RESTOptionsGetter = revisionRESTOptionsGetter{}

// GetRESTOptions implements generic.RESTOptionsGetter.
func (g revisionRESTOptionsGetter) GetRESTOptions(resource schema.GroupResource, example runtime.Object) (generic.RESTOptions, error) {
	options, err := g.RESTOptionsGetter.GetRESTOptions(resource, example)
	if err != nil {
		return options, err
	}
	decorate := options.Decorator
	if decorate == nil {
		return options, errors.New("the store of " + resource.String() + " has no decorator")
	}
	options.Decorator = func(config *storagebackend.ConfigForResource, prefix string, keyFunc func(runtime.Object) (string, error),
		newFunc, newListFunc func() runtime.Object, attributes storage.AttrFunc, trigger storage.IndexerFuncs, indexers *cache.Indexers,
	) (storage.Interface, factory.DestroyFunc, error) {
		store, destroy, err := decorate(config, prefix, keyFunc, newFunc, newListFunc, attributes, trigger, indexers)
		if err == nil {
			reader := revisionReader(store)
			g.monitor.store.Store(&reader)
		}
		return store, destroy, err
	}
	return options, nil
}
