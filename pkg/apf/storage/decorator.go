package storage

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/cacher"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
)

// Layers are what a server puts between the registry and etcd. Each field is optional.
type Layers struct {
	// Uncached means that there is no watch cache. Then all lists read etcd, guarded.
	Uncached bool
	// Etcd returns a layer above the library's store.
	Etcd func(storage.Interface) storage.Interface
	// Fill returns a layer above that, for what fills the watch cache. stop is called before
	// the cache is stopped, and ends what the layer waits for.
	Fill func(store storage.Interface, resource schema.GroupResource) (_ storage.Interface, stop func())
}

// Decorator returns a generic.StorageDecorator, in place of StorageWithCacher of
// k8s.io/apiserver.
func (r *Reads) Decorator(l Layers) generic.StorageDecorator {
	return func(config *storagebackend.ConfigForResource, prefix string, keyFunc func(runtime.Object) (string, error),
		newFunc, newListFunc func() runtime.Object, attributes storage.AttrFunc, trigger storage.IndexerFuncs, indexers *cache.Indexers,
	) (storage.Interface, factory.DestroyFunc, error) {
		store, closeStore, err := generic.NewRawStorage(config, newFunc, newListFunc, prefix)
		if err != nil {
			return nil, nil, err
		}
		if l.Etcd != nil {
			store = l.Etcd(store)
		}
		if l.Uncached {
			return r.Guard(store, config.GroupResource, newListFunc), closeStore, nil
		}
		cached, stop, err := r.withCache(l, store, cacher.Config{
			Versioner:           storage.APIObjectVersioner{},
			GroupResource:       config.GroupResource,
			EventsHistoryWindow: config.EventsHistoryWindow,
			ResourcePrefix:      prefix,
			KeyFunc:             keyFunc,
			NewFunc:             newFunc,
			NewListFunc:         newListFunc,
			GetAttrsFunc:        attributes,
			IndexerFuncs:        trigger,
			Indexers:            indexers,
			Codec:               config.Codec,
		})
		if err != nil {
			closeStore()
			return nil, nil, err
		}
		return cached, sync.OnceFunc(func() { stop(); closeStore() }), nil
	}
}

// withCache returns a store with a watch cache. What bypasses the cache is guarded. Stopping it
// does not close the store below.
func (r *Reads) withCache(l Layers, store storage.Interface, config cacher.Config) (_ storage.Interface, stop func(), err error) {
	config.Storage = store
	stopFilling := func() {}
	if l.Fill != nil {
		config.Storage, stopFilling = l.Fill(store, config.GroupResource)
	}
	watchCache, err := cacher.NewCacherFromConfig(config)
	if err != nil {
		stopFilling()
		return nil, nil, err
	}
	delegator := cacher.NewCacheDelegator(watchCache, r.Guard(store, config.GroupResource, config.NewListFunc))
	return delegator, func() {
		stopFilling()
		delegator.Stop()
		watchCache.Stop()
	}, nil
}
