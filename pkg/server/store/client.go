package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// GetList implements storage.Interface. The watch cache and the encoding of the list, which comes
// next, take no notice of a client that has left.
func (s clientStore) GetList(ctx context.Context, key string, options storage.ListOptions, out runtime.Object) error {
	if err := ended(ctx); err != nil {
		return err
	}
	if err := s.Interface.GetList(ctx, key, options, out); err != nil {
		return s.futureVersion(ctx, options, err)
	}
	return ended(ctx)
}

// statusClientClosedRequest is the status of a request whose client has left, as other servers log
// it. Nobody reads it; it is counted, and 500, which the library answers to a context that has ended,
// would count as a fault of this server.
const statusClientClosedRequest = 499

// ended returns an error if nobody waits for an answer any more.
func ended(ctx context.Context) error {
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return apierrors.NewTimeoutError("the deadline of the request has passed", 0)
	default:
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: statusClientClosedRequest, Message: "the client has left",
		}}
	}
}

// Watch implements storage.Interface.
func (s clientStore) Watch(ctx context.Context, key string, options storage.ListOptions) (watch.Interface, error) {
	if err := s.awaitStart(ctx, options); err != nil {
		return nil, err
	}
	return s.Interface.Watch(ctx, key, options)
}

// awaitStart returns when the watch cache, which serves all watches, has reached the resource
// version of the start of a watch.
func (s clientStore) awaitStart(ctx context.Context, options storage.ListOptions) error {
	if options.ResourceVersion == "" {
		return s.awaitLatest(ctx, options)
	}
	return s.rejectFuture(ctx, options.ResourceVersion)
}

// awaitLatest handles a watch without a resource version, which must start at the
// most recent state. The library starts it at the state of its cache, which may be
// behind etcd; it waits only for watches with sendInitialEvents.
func (s clientStore) awaitLatest(ctx context.Context, options storage.ListOptions) error {
	if options.SendInitialEvents != nil {
		return nil
	}
	latest, err := s.GetCurrentResourceVersion(ctx)
	if err != nil {
		return err
	}
	return s.awaitVersion(ctx, strconv.FormatUint(latest, 10))
}

// rejectFuture rejects a watch at a resource version that the store has not reached with 410
// Expired; clients then list again. The library would accept it and send nothing until the store
// reaches the version. This happens to informers that listed another store before this server took
// over the API.
//
// The watch cache has 3 s to catch up. Invalid versions are left to the library.
func (s clientStore) rejectFuture(ctx context.Context, version string) error {
	if number, _ := strconv.ParseUint(version, 10, 64); number == 0 { // or invalid
		return nil
	}
	if err := s.awaitVersion(ctx, version); storage.IsTooLargeResourceVersion(err) {
		return apierrors.NewResourceExpired(fmt.Sprintf("%v: the resource version must come from another store; list again", err))
	}
	return nil
}

// awaitVersion waits until the watch cache has reached the version. After 3 s it
// returns the library's 504, which states the version reached.
func (s clientStore) awaitVersion(ctx context.Context, version string) error {
	const noObject = "/:" // no valid name
	return s.Get(ctx, s.prefix+noObject, storage.GetOptions{ResourceVersion: version, IgnoreNotFound: true}, s.newFunc())
}
