package server

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/cacher"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
)

// useEtcdStores puts an etcdStore and a quorumStore between etcd and the watch cache of each
// resource, and a clientStore above.
func (s *Server) useEtcdStores() {
	s.generic.RESTOptionsGetter = etcdRESTOptionsGetter{s.generic.RESTOptionsGetter, s.config.Etcd}
}

// etcdRESTOptionsGetter gives each resource an etcdStore.
type etcdRESTOptionsGetter struct {
	generic.RESTOptionsGetter
	options *genericoptions.EtcdOptions
}

var _ generic.RESTOptionsGetter = etcdRESTOptionsGetter{}

// GetRESTOptions implements generic.RESTOptionsGetter.
func (g etcdRESTOptionsGetter) GetRESTOptions(resource schema.GroupResource, example runtime.Object) (generic.RESTOptions, error) {
	options, err := g.RESTOptionsGetter.GetRESTOptions(resource, example)
	if err != nil {
		return options, err
	}
	cached, err := usesWatchCache(g.options, resource)
	options.Decorator = newDecorator(cached)
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

// newDecorator returns what the library's decorators do, with stores of this package
// below the watch cache, where the library's have no seam.
func newDecorator(cached bool) generic.StorageDecorator {
	return func(config *storagebackend.ConfigForResource, prefix string, keyFunc func(runtime.Object) (string, error),
		newFunc, newListFunc func() runtime.Object, attributes storage.AttrFunc, trigger storage.IndexerFuncs, indexers *cache.Indexers,
	) (storage.Interface, factory.DestroyFunc, error) {
		raw, closeStore, err := generic.NewRawStorage(config, newFunc, newListFunc, prefix)
		if err != nil {
			return nil, nil, err
		}
		if !cached {
			return clientStore{etcdStore{raw}}, sync.OnceFunc(closeStore), nil
		}
		stopped, stop := context.WithCancel(context.Background())
		store := quorumStore{etcdStore{raw}, config.GroupResource, stopped}
		watchCache, err := cacher.NewCacherFromConfig(cacher.Config{
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
		})
		if err != nil {
			stop()
			closeStore()
			return nil, nil, err
		}
		delegator := cacher.NewCacheDelegator(watchCache, store)
		return clientStore{delegator}, sync.OnceFunc(func() {
			stop() // the cache waits for its watch
			delegator.Stop()
			watchCache.Stop()
			closeStore()
		}), nil
	}
}
