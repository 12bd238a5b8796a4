package storage

import (
	"context"
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/badrequest"
)

// Watch watches the objects that options select.
func (r *REST) Watch(ctx context.Context, options *metainternalversion.ListOptions) (watch.Interface, error) {
	if err := r.awaitStart(ctx, options); err != nil {
		return nil, err
	}
	watcher, err := r.Store.Watch(ctx, options)
	return watcher, badrequest.Version(err)
}

// awaitStart returns when the watch cache, which serves all watches, has reached
// the resource version at which the watch starts.
func (r *REST) awaitStart(ctx context.Context, options *metainternalversion.ListOptions) error {
	if options == nil || options.ResourceVersion == "" {
		return r.awaitLatest(ctx, options)
	}
	return r.rejectFuture(ctx, options.ResourceVersion)
}

// awaitLatest handles a watch without a resource version, which must start at the
// most recent state. The library starts it at the state of its cache, which may be
// behind etcd; it waits only for watches with sendInitialEvents.
func (r *REST) awaitLatest(ctx context.Context, options *metainternalversion.ListOptions) error {
	if options != nil && options.SendInitialEvents != nil {
		return nil
	}
	latest, err := r.Storage.Storage.GetCurrentResourceVersion(ctx)
	if err != nil {
		return err
	}
	return r.awaitVersion(ctx, strconv.FormatUint(latest, 10))
}

// rejectFuture rejects a watch at a resource version that the store has not reached
// with 410 Expired, after which clients list again. The library would accept it and
// send nothing until the store reaches the version. This happens to informers that
// listed another store before this server took over the API.
//
// The watch cache has 3 s to catch up. Invalid versions are left to the library.
func (r *REST) rejectFuture(ctx context.Context, version string) error {
	if number, _ := strconv.ParseUint(version, 10, 64); number == 0 { // or invalid
		return nil
	}
	if err := r.awaitVersion(ctx, version); storage.IsTooLargeResourceVersion(err) {
		return apierrors.NewResourceExpired(fmt.Sprintf("%v: the resource version must come from another store; list again", err))
	}
	return nil
}

// awaitVersion waits until the watch cache has reached the version. After 3 s it
// returns the library's 504, which states the version reached.
func (r *REST) awaitVersion(ctx context.Context, version string) error {
	const noObject = "/:" // no valid name
	return r.Storage.Get(ctx, r.KeyRootFunc(ctx)+noObject, storage.GetOptions{ResourceVersion: version, IgnoreNotFound: true}, r.New())
}
