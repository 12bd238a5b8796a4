package storage

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/client-go/kubernetes/scheme"
)

// A layer below the guard may list through the guard, the same list too: that is a part of the
// read, and would wait for itself.
func TestALayerMayReadThroughTheGuardAgain(t *testing.T) {
	for name, lists := range map[string][]*list{"a read alone": {{}}, "shared reads": fifty()} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t, 600)
				type within struct{}
				s.etcd.below = func(ctx context.Context) {
					if ctx.Value(within{}) == nil {
						ctx = context.WithValue(ctx, within{}, true)
						assert.NoError(t, s.store.GetList(ctx, "/configmaps/", storage.ListOptions{Recursive: true}, newList()))
					}
				}
				s.sendAll(lists)
				for _, l := range lists {
					assertSound(t, l, 1)
				}
				s.requireNothingLeft()
			})
		})
	}
}

// What decides whether a client may know why its list was rejected may list, with the context of
// that list too.
func TestWhatExplainsARejectionMayList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, storageSeats)
		var ofList context.Context
		asked := 0
		s.options.Serializer = serializer.NewCodecFactory(scheme.Scheme)
		s.options.Explain = func(context.Context, user.Info) bool {
			if asked++; asked == 1 {
				_ = s.store.GetList(ofList, "/other/", storage.ListOptions{Recursive: true}, newList())
			}
			return true
		}
		s.filter(s.options)
		var sent sync.WaitGroup
		holds, held := make(chan struct{}), make(chan struct{})
		l := &list{user: "short"}
		l.read = func(ctx context.Context) error {
			ofList = ctx //nolint:fatcontext // the context of the list, which others ask in
			sent.Go(func() { s.hold("holder", storageSeats, holds, held) })
			synctest.Wait() // it waits in its queue
			return s.store.GetList(ctx, "/configmaps/", storage.ListOptions{Recursive: true}, newList())
		}
		s.send(t.Context(), l)
		assert.Equal(t, 2, asked)
		assert.ErrorContains(t, l.err, "time-out")
		close(held)
		sent.Wait()
		s.requireNothingLeft()
	})
}
