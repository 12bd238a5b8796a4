package storage

import (
	"context"
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apiserver/pkg/storage"
)

// refuseFuture refuses a watch that is to begin at a resource version which the
// store has not reached, with 410 Expired, upon which clients list again. The
// library would take it and be silent until the store got there. That is where
// informers stand whose objects were those of another store when the API became
// this server's: without an answer they would never learn of a change.
//
// A watch cache that is merely behind has the library's patience of 3 s to catch
// up. What is wrong with the version otherwise is left to the watch to say.
func (r *REST) refuseFuture(ctx context.Context, options *metainternalversion.ListOptions) error {
	if options == nil {
		return nil
	}
	if version, _ := strconv.ParseUint(options.ResourceVersion, 10, 64); version == 0 { // or none
		return nil
	}
	if err := r.awaitVersion(ctx, options.ResourceVersion); storage.IsTooLargeResourceVersion(err) {
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
