package store

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/badrequest"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/filters"
)

// clientStore is the store that the registry uses, above the watch cache. It waits no longer
// than the client of a request, see filters.WithClient, and answers for what the client caused.
type clientStore struct {
	storage.Interface
	prefix  string // of the keys of the resource
	newFunc func() runtime.Object
}

var _ storage.Interface = clientStore{}

// clientStatus returns the status of a request that fails because of the client: it left, or sent
// an invalid resourceVersion. Other errors are returned as they are.
func clientStatus(ctx context.Context, err error) error {
	invalid, isInvalid := errors.AsType[storage.InvalidError](err)
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return badrequest.Left(err)
	case isInvalid:
		return apierrors.NewBadRequest(invalid.Error())
	case errors.Is(err, storage.ErrResourceVersionSetOnCreate):
		return apierrors.NewBadRequest(err.Error())
	default:
		return err
	}
}

// Create implements storage.Interface.
func (s clientStore) Create(ctx context.Context, key string, object, out runtime.Object, ttl uint64) error {
	ctx = filters.WithClient(ctx)
	return clientStatus(ctx, s.Interface.Create(ctx, key, object, out, ttl))
}

// GuaranteedUpdate implements storage.Interface.
func (s clientStore) GuaranteedUpdate(ctx context.Context, key string, destination runtime.Object, ignoreNotFound bool,
	preconditions *storage.Preconditions, tryUpdate storage.UpdateFunc, cached runtime.Object,
) error {
	ctx = filters.WithClient(ctx)
	return clientStatus(ctx, s.Interface.GuaranteedUpdate(ctx, key, destination, ignoreNotFound, preconditions, tryUpdate, cached))
}

// Delete implements storage.Interface.
func (s clientStore) Delete(ctx context.Context, key string, out runtime.Object, preconditions *storage.Preconditions,
	validate storage.ValidateObjectFunc, cached runtime.Object, options storage.DeleteOptions,
) error {
	ctx = filters.WithClient(ctx)
	return clientStatus(ctx, s.Interface.Delete(ctx, key, out, preconditions, validate, cached, options))
}

// Get implements storage.Interface.
func (s clientStore) Get(ctx context.Context, key string, options storage.GetOptions, out runtime.Object) error {
	ctx = filters.WithClient(ctx)
	return clientStatus(ctx, s.Interface.Get(ctx, key, options, out))
}

// GetList implements storage.Interface.
func (s clientStore) GetList(ctx context.Context, key string, options storage.ListOptions, out runtime.Object) error {
	ctx = filters.WithClient(ctx)
	return clientStatus(ctx, s.futureVersion(ctx, options, s.Interface.GetList(ctx, key, options, out)))
}

// GetCurrentResourceVersion implements storage.Interface.
func (s clientStore) GetCurrentResourceVersion(ctx context.Context) (uint64, error) {
	ctx = filters.WithClient(ctx)
	version, err := s.Interface.GetCurrentResourceVersion(ctx)
	return version, clientStatus(ctx, err)
}

// Watch implements storage.Interface.
func (s clientStore) Watch(ctx context.Context, key string, options storage.ListOptions) (watch.Interface, error) {
	ctx = filters.WithClient(ctx)
	if err := s.awaitStart(ctx, options); err != nil {
		return nil, clientStatus(ctx, err)
	}
	watcher, err := s.Interface.Watch(ctx, key, options)
	return watcher, clientStatus(ctx, err)
}
