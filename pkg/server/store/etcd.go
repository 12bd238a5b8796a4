package store

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"
)

// etcdStore is the store of a resource in etcd, below the watch cache. Its errors are
// statuses.
type etcdStore struct {
	storage.Interface
	statuses statuses
}

var _ storage.Interface = etcdStore{}

// Create implements storage.Interface.
func (s etcdStore) Create(ctx context.Context, key string, object, out runtime.Object, ttl uint64) error {
	return s.statuses.write(s.Interface.Create(ctx, key, object, out, ttl))
}

// GuaranteedUpdate implements storage.Interface.
func (s etcdStore) GuaranteedUpdate(ctx context.Context, key string, destination runtime.Object, ignoreNotFound bool,
	preconditions *storage.Preconditions, tryUpdate storage.UpdateFunc, cached runtime.Object,
) error {
	return s.statuses.write(s.Interface.GuaranteedUpdate(ctx, key, destination, ignoreNotFound, preconditions, tryUpdate, cached))
}

// Delete implements storage.Interface.
func (s etcdStore) Delete(ctx context.Context, key string, out runtime.Object, preconditions *storage.Preconditions,
	validate storage.ValidateObjectFunc, cached runtime.Object, options storage.DeleteOptions,
) error {
	return s.statuses.write(s.Interface.Delete(ctx, key, out, preconditions, validate, cached, options))
}

// Get implements storage.Interface.
func (s etcdStore) Get(ctx context.Context, key string, options storage.GetOptions, out runtime.Object) error {
	return s.statuses.read(s.Interface.Get(ctx, key, options, out))
}

// GetList implements storage.Interface.
func (s etcdStore) GetList(ctx context.Context, key string, options storage.ListOptions, out runtime.Object) error {
	return s.statuses.read(s.Interface.GetList(ctx, key, options, out))
}

// GetCurrentResourceVersion implements storage.Interface.
func (s etcdStore) GetCurrentResourceVersion(ctx context.Context) (uint64, error) {
	version, err := s.Interface.GetCurrentResourceVersion(ctx)
	return version, s.statuses.read(err)
}

// Watch implements storage.Interface.
func (s etcdStore) Watch(ctx context.Context, key string, options storage.ListOptions) (watch.Interface, error) {
	watcher, err := s.Interface.Watch(ctx, key, options)
	return watcher, s.statuses.read(err)
}
