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

// Watch tells of changes.
func (r *REST) Watch(ctx context.Context, options *metainternalversion.ListOptions) (watch.Interface, error) {
	if err := r.awaitBeginning(ctx, options); err != nil {
		return nil, err
	}
	watcher, err := r.Store.Watch(ctx, options)
	return watcher, badrequest.Version(err)
}

// awaitBeginning returns once the watch cache, which serves all watches, is
// where the watch is to begin.
func (r *REST) awaitBeginning(ctx context.Context, options *metainternalversion.ListOptions) error {
	if options == nil || options.ResourceVersion == "" {
		return r.awaitLatest(ctx, options)
	}
	return r.refuseFuture(ctx, options.ResourceVersion)
}

// awaitLatest is for a watch from no version, which begins with the most recent
// state. The library would begin with what its cache has, however far behind
// etcd that is; it waits by itself only for one that asks for initial events.
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

// refuseFuture refuses a watch that is to begin at a resource version which the
// store has not reached, with 410 Expired, upon which clients list again. The
// library would take it and be silent until the store got there. That is where
// informers stand whose objects were those of another store when the API became
// this server's: without an answer they would never learn of a change.
//
// A watch cache that is merely behind has the library's patience of 3 s to catch
// up. What is wrong with the version otherwise is left to the watch to say.
func (r *REST) refuseFuture(ctx context.Context, version string) error {
	if number, _ := strconv.ParseUint(version, 10, 64); number == 0 { // or none
		return nil
	}
	if err := r.awaitVersion(ctx, version); storage.IsTooLargeResourceVersion(err) {
		return apierrors.NewResourceExpired(fmt.Sprintf("%v: this store has never been there, so the version must be that of another; list again", err))
	}
	return nil
}

// awaitVersion returns the library's error about a version from the future,
// 504 with the version reached, unless the watch cache gets there within 3 s.
func (r *REST) awaitVersion(ctx context.Context, version string) error {
	// No object has this name: all that is read is how far the store is.
	const nothing = "/:"
	return r.Storage.Get(ctx, r.KeyRootFunc(ctx)+nothing, storage.GetOptions{ResourceVersion: version, IgnoreNotFound: true}, r.New())
}
