package store

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
)

const (
	// revisionInterval is the time between two reads of etcd's revision.
	revisionInterval = 2 * time.Second
	// revisionTimeout bounds one read.
	revisionTimeout = 10 * time.Second
)

// RevisionReader reads etcd's revision with a quorum.
type RevisionReader interface {
	GetCurrentResourceVersion(ctx context.Context) (uint64, error)
}

// Revisions notices an etcd that lost its data, or has an old snapshot's: its revision is lower
// than one that this server has seen. The watches of the library's caches wait until etcd reaches
// their revision again, and keep objects that are gone. No cache can be told to read again, so the
// process must end, and its supervisor restarts it.
type Revisions struct {
	store RevisionReader
	// highest is the highest revision seen.
	highest uint64
	// lost is the error once a lower revision was read; failed delivers it once.
	lost   atomic.Pointer[error]
	failed chan error
}

// NewRevisions returns the revisions of a store. The caller runs it.
func NewRevisions(store RevisionReader) *Revisions {
	return &Revisions{store: store, failed: make(chan error, 1)}
}

// Failed delivers the error once etcd has lost data.
func (r *Revisions) Failed() <-chan error { return r.failed }

// Check fails once etcd has lost data.
func (r *Revisions) Check(*http.Request) error {
	if err := r.lost.Load(); err != nil {
		return *err
	}
	return nil
}

// Run reads etcd's revision until ctx ends. The caches return the revisions that they have
// reached, as text.
func (r *Revisions) Run(ctx context.Context, caches ...func() string) {
	wait.UntilWithContext(ctx, func(ctx context.Context) { r.read(ctx, caches) }, revisionInterval)
}

// read compares etcd's revision with those seen before. An etcd that does not respond
// is the matter of another check.
func (r *Revisions) read(ctx context.Context, caches []func() string) {
	if r.lost.Load() != nil {
		return
	}
	for _, reached := range caches {
		if revision, err := strconv.ParseUint(reached(), 10, 64); err == nil {
			r.highest = max(r.highest, revision)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, revisionTimeout)
	defer cancel()
	revision, err := r.store.GetCurrentResourceVersion(ctx)
	if err != nil || revision >= r.highest {
		r.highest = max(r.highest, revision)
		return
	}
	err = fmt.Errorf("etcd is at revision %d, but was at %d before: it lost data or was restored from a snapshot; restart this server to read it again", revision, r.highest)
	klog.ErrorS(err, "Stopping because the objects in memory differ from the objects in etcd")
	r.lost.Store(&err)
	r.failed <- err
}
