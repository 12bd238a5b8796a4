package store

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"

	apfstorage "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/storage"
)

// decorator returns what the library's decorators do, with stores of this package above and
// below the watch cache; the library's have no seam below it.
func (s *Store) decorator(cached bool) generic.StorageDecorator {
	decorate := s.reads.Decorator(apfstorage.Layers{
		Uncached: !cached,
		Etcd:     func(raw storage.Interface) storage.Interface { return etcdStore{raw, s.statuses} },
		Fill: func(store storage.Interface, resource schema.GroupResource) (storage.Interface, func()) {
			stopped, stop := context.WithCancel(context.Background()) // the cache waits for its watch
			return quorumStore{store, resource, stopped}, stop
		},
	})
	return func(config *storagebackend.ConfigForResource, prefix string, keyFunc func(runtime.Object) (string, error),
		newFunc, newListFunc func() runtime.Object, attributes storage.AttrFunc, trigger storage.IndexerFuncs, indexers *cache.Indexers,
	) (storage.Interface, factory.DestroyFunc, error) {
		store, destroy, err := decorate(config, prefix, keyFunc, newFunc, newListFunc, attributes, trigger, indexers)
		if err != nil {
			return nil, nil, err
		}
		s.opened.Store(&store)
		return clientStore{store, prefix, newFunc}, destroy, nil
	}
}
