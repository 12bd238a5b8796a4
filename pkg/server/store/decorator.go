package store

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/cacher"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
)

// decorator returns what the library's decorators do, with stores of this package above and
// below the watch cache; the library's have no seam below it.
func (s *Store) decorator(cached bool) generic.StorageDecorator {
	return func(config *storagebackend.ConfigForResource, prefix string, keyFunc func(runtime.Object) (string, error),
		newFunc, newListFunc func() runtime.Object, attributes storage.AttrFunc, trigger storage.IndexerFuncs, indexers *cache.Indexers,
	) (storage.Interface, factory.DestroyFunc, error) {
		raw, closeEtcd, err := generic.NewRawStorage(config, newFunc, newListFunc, prefix)
		if err != nil {
			return nil, nil, err
		}
		store, destroy := storage.Interface(etcdStore{raw, s.statuses}), closeEtcd
		if cached {
			store, destroy, err = s.withWatchCache(store, closeEtcd, cacher.Config{
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
		}
		if err != nil {
			return nil, nil, err
		}
		if !cached {
			store = s.reads.Guard(store, config.GroupResource, newListFunc)
		}
		s.opened.Store(&store)
		return clientStore{store, prefix, newFunc}, sync.OnceFunc(destroy), nil
	}
}

// withWatchCache returns a store with a watch cache, and what closes both. On an error the
// store is closed.
func (s *Store) withWatchCache(store storage.Interface, closeEtcd factory.DestroyFunc, config cacher.Config) (storage.Interface, factory.DestroyFunc, error) {
	stopped, stop := context.WithCancel(context.Background())
	config.Storage = quorumStore{store, config.GroupResource, stopped}
	cached, stopCache, err := s.reads.Cached(config, config.Storage)
	if err != nil {
		stop()
		closeEtcd()
		return nil, nil, err
	}
	return cached, func() {
		stop() // the cache waits for its watch
		stopCache()
		closeEtcd()
	}, nil
}
