package store

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/klog/v2"
)

const (
	// quorumTimeout bounds one read; it tells a watch that etcd has a quorum.
	quorumTimeout = 10 * time.Second
	// quorumInterval is the time between two of these reads.
	quorumInterval = 500 * time.Millisecond
)

// quorumStore is the store of a watch cache. Its watches begin when etcd has a quorum.
//
// A member of etcd without a leader ends watches, and each new one at once. The watch cache
// opens the next one without a delay: hundreds in a second, each with a line in the log.
// The cache keeps its watchers while it waits here, as it does while etcd cannot be reached
// at all.
type quorumStore struct {
	storage.Interface
	resource schema.GroupResource
	// stopped ends waiting watches.
	stopped context.Context
}

var _ storage.Interface = quorumStore{}

// Watch implements storage.Interface.
func (s quorumStore) Watch(ctx context.Context, key string, options storage.ListOptions) (watch.Interface, error) {
	if err := s.awaitQuorum(ctx); err != nil {
		return nil, err
	}
	return s.Interface.Watch(ctx, key, options)
}

// awaitQuorum returns nil once etcd answers a read that requires a quorum, or rejects it
// for another reason, which the watch meets too.
func (s quorumStore) awaitQuorum(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.stopped, cancel)()
	for said := false; ; {
		attempt, end := context.WithTimeout(ctx, quorumTimeout)
		_, err := s.GetCurrentResourceVersion(attempt)
		end()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !apierrors.IsServiceUnavailable(err) && !apierrors.IsTimeout(err):
			return nil
		case !said:
			klog.ErrorS(err, "Waiting for etcd before watching it", "resource", s.resource)
			said = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(quorumInterval):
		}
	}
}
