// Package store is what lies between the API and etcd. For each resource, from the registry
// of pkg/registry down:
//
//	clientStore   watches start at the most recent state; versions from the future
//	watch cache   k8s.io/apiserver's, unless --watch-cache or its sizes leave it out
//	guard         package storage of pkg/apf: lists that bypass the watch cache ask for seats
//	              again, and share reads
//	quorumStore   the cache watches etcd when etcd has a quorum
//	etcdStore     turns the errors of etcd into statuses
//	etcd3         the library's store, with a codec and a transformer that name the key of an
//	              object that cannot be read
//
// errors.go has the table of all errors and statuses. Outside the path of a request, Revisions
// detects that etcd lost data, and monitor.go keeps scrapes from waiting for etcd.
package store

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/storage"

	apfstorage "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/storage"
)

// Store opens the stores of all resources.
type Store struct {
	library    generic.RESTOptionsGetter
	etcd       *genericoptions.EtcdOptions
	reads      *apfstorage.Reads
	statuses   statuses
	unreadable unreadableObject
	// opened is the store of the resource that was opened last, nil before.
	opened atomic.Pointer[storage.Interface]
}

var _ generic.RESTOptionsGetter = (*Store)(nil)

// New returns a Store which adds to the library's options. The options of etcd say which
// resources have a watch cache. The remedy says what to do when etcd rejects writes because
// it is full: EmbeddedRemedy or ExternalRemedy.
func New(library generic.RESTOptionsGetter, etcd *genericoptions.EtcdOptions, remedy string) *Store {
	return &Store{library: library, etcd: etcd, reads: apfstorage.New(), statuses: statuses{remedy}}
}

// Reads returns the metric of lists that bypass the watch cache.
func (s *Store) Reads() prometheus.Collector { return s.reads }

// GetRESTOptions implements generic.RESTOptionsGetter.
func (s *Store) GetRESTOptions(resource schema.GroupResource, example runtime.Object) (generic.RESTOptions, error) {
	options, err := s.library.GetRESTOptions(resource, example)
	if err != nil {
		return options, err
	}
	cached, err := usesWatchCache(s.etcd, resource)
	options.StorageConfig = s.unreadable.named(options.StorageConfig)
	options.Decorator = s.decorator(cached)
	return options, err
}

// usesWatchCache reports whether the options ask for a watch cache of a resource.
func usesWatchCache(options *genericoptions.EtcdOptions, resource schema.GroupResource) (bool, error) {
	sizes, err := genericoptions.ParseWatchCacheSizes(options.WatchCacheSizes)
	if err != nil {
		return false, err
	}
	size, stated := sizes[resource]
	return options.EnableWatchCache && (!stated || size > 0), nil
}

// Unreadable returns the last error about an object in etcd that could not be read; it names
// the key. It is nil if there was none.
func (s *Store) Unreadable() error {
	if err := s.unreadable.Load(); err != nil {
		return *err
	}
	return nil
}

// errNotOpen means that no resource is stored yet.
var errNotOpen = errors.New("no store is open")

// GetCurrentResourceVersion returns etcd's revision, read with a quorum.
func (s *Store) GetCurrentResourceVersion(ctx context.Context) (uint64, error) {
	opened := s.opened.Load()
	if opened == nil {
		return 0, errNotOpen
	}
	return (*opened).GetCurrentResourceVersion(ctx)
}
