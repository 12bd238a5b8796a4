package storage

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/badrequest"
)

// Get reads an object.
func (r *REST) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	object, err := r.Store.Get(ctx, name, options)
	return object, badrequest.Version(err)
}

// List reads the objects that options select. An exact version from the future
// is answered like any other: 504, not etcd's own error, which would be a 500.
func (r *REST) List(ctx context.Context, options *metainternalversion.ListOptions) (runtime.Object, error) {
	if err := badrequest.List(ctx); err != nil {
		return nil, err
	}
	list, err := r.Store.List(ctx, options)
	return list, r.explainFuture(ctx, options, err)
}

// DeleteCollection deletes the objects that listOptions select.
func (r *REST) DeleteCollection(ctx context.Context, validation rest.ValidateObjectFunc, options *metav1.DeleteOptions, listOptions *metainternalversion.ListOptions) (runtime.Object, error) {
	deleted, err := r.Store.DeleteCollection(ctx, validation, options, listOptions)
	return deleted, r.explainFuture(ctx, listOptions, err)
}

// explainFuture returns the error of a list, with the status that a version from
// the future has.
func (r *REST) explainFuture(ctx context.Context, options *metainternalversion.ListOptions, err error) error {
	if !errors.Is(err, rpctypes.ErrFutureRev) {
		return err
	}
	version := options.ResourceVersion
	if options.Continue != "" {
		_, of, err := storage.DecodeContinue(options.Continue, "/")
		if err != nil {
			return err
		}
		version = strconv.FormatInt(of, 10)
	}
	if late := r.awaitVersion(ctx, version); late != nil {
		return late
	}
	return apierrors.NewTimeoutError(fmt.Sprintf("resource version %s has only just been reached", version), 1)
}
