package store

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"
)

// clientStore is the store that the registry uses, above the watch cache. It answers for resource
// versions that the store has not reached.
type clientStore struct {
	storage.Interface
	prefix  string // of the keys of the resource
	newFunc func() runtime.Object
}

var _ storage.Interface = clientStore{}

// GetList implements storage.Interface.
func (s clientStore) GetList(ctx context.Context, key string, options storage.ListOptions, out runtime.Object) error {
	return s.futureVersion(ctx, options, s.Interface.GetList(ctx, key, options, out))
}

// Watch implements storage.Interface.
func (s clientStore) Watch(ctx context.Context, key string, options storage.ListOptions) (watch.Interface, error) {
	if err := s.awaitStart(ctx, options); err != nil {
		return nil, err
	}
	return s.Interface.Watch(ctx, key, options)
}
