package storage

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/cacher"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
)

// Decorator is a generic.StorageDecorator, in place of StorageWithCacher of k8s.io/apiserver.
func (r *Reads) Decorator(config *storagebackend.ConfigForResource, prefix string, keyFunc func(runtime.Object) (string, error),
	newFunc, newListFunc func() runtime.Object, attributes storage.AttrFunc, trigger storage.IndexerFuncs, indexers *cache.Indexers,
) (storage.Interface, factory.DestroyFunc, error) {
	store, closeStore, err := generic.NewRawStorage(config, newFunc, newListFunc, prefix)
	if err != nil {
		return nil, nil, err
	}
	cached, stop, err := r.Cached(cacher.Config{
		Storage:             store,
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
	}, store)
	if err != nil {
		closeStore()
		return nil, nil, err
	}
	return cached, sync.OnceFunc(func() { stop(); closeStore() }), nil
}

// Cached returns a store with a watch cache that config.Storage fills. What bypasses the cache
// reads from store, guarded. Stopping it closes neither.
func (r *Reads) Cached(config cacher.Config, store storage.Interface) (_ storage.Interface, stop func(), err error) {
	watchCache, err := cacher.NewCacherFromConfig(config)
	if err != nil {
		return nil, nil, err
	}
	delegator := cacher.NewCacheDelegator(watchCache, r.Guard(store, config.GroupResource, config.NewListFunc))
	return delegator, func() {
		delegator.Stop()
		watchCache.Stop()
	}, nil
}
