package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// lagging is a store whose etcd is at version latest and whose cache is at
// version cached.
type lagging struct {
	storage.Interface
	latest uint64
	cached string
	err    error
}

func (l *lagging) GetCurrentResourceVersion(context.Context) (uint64, error) { return l.latest, l.err }

func (l *lagging) Get(_ context.Context, _ string, options storage.GetOptions, _ runtime.Object) error {
	if options.ResourceVersion != l.cached {
		return storage.NewTooLargeResourceVersionError(l.latest, 7, 1)
	}
	return nil
}

func TestWatchStartsAtItsResourceVersion(t *testing.T) {
	errEtcd := errors.New("etcd is unavailable")
	for name, c := range map[string]struct {
		store   lagging
		options storage.ListOptions
		fails   func(error) bool
	}{
		"no version, and the cache is up to date":     {lagging{latest: 9, cached: "9"}, storage.ListOptions{}, nil},
		"no version, and the cache does not catch up": {lagging{latest: 9, cached: "7"}, storage.ListOptions{}, storage.IsTooLargeResourceVersion},
		"no version, and etcd is unavailable":         {lagging{err: errEtcd}, storage.ListOptions{}, func(err error) bool { return errors.Is(err, errEtcd) }},
		"initial events: the library waits for them":  {lagging{latest: 9, cached: "7"}, storage.ListOptions{SendInitialEvents: new(true)}, nil},
		"any version":                                   {lagging{latest: 9, cached: "7"}, storage.ListOptions{ResourceVersion: "0"}, nil},
		"a version that the store has":                  {lagging{latest: 9, cached: "7"}, storage.ListOptions{ResourceVersion: "7"}, nil},
		"a version from the future":                     {lagging{latest: 9, cached: "7"}, storage.ListOptions{ResourceVersion: "12"}, apierrors.IsResourceExpired},
		"an invalid version, which the library rejects": {lagging{latest: 9, cached: "7"}, storage.ListOptions{ResourceVersion: "x"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			err := clientStore{&c.store, "/flowschemas", func() runtime.Object { return &flowcontrol.FlowSchema{} }}.awaitStart(t.Context(), c.options)
			if c.fails == nil {
				require.NoError(t, err)
				return
			}
			require.True(t, c.fails(err), "%v", err)
		})
	}
}

// lists is a store that counts the lists that it reads. Its client leaves meanwhile, if leave is set.
type lists struct {
	storage.Interface
	leave context.CancelFunc
	read  int
}

func (l *lists) GetList(context.Context, string, storage.ListOptions, runtime.Object) error {
	l.read++
	if l.leave != nil {
		l.leave()
	}
	return nil
}

func TestAListWhoseClientHasLeftIsNeitherReadNorEncoded(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	store := &lists{}
	list := func(ctx context.Context) error {
		return clientStore{store, "/flowschemas", nil}.GetList(ctx, "/flowschemas", storage.ListOptions{}, nil)
	}
	require.NoError(t, list(ctx))
	store.leave = leave
	var status apierrors.APIStatus
	require.ErrorAs(t, list(ctx), &status, "what was read is not encoded")
	require.EqualValues(t, 499, status.Status().Code)
	require.Equal(t, 2, store.read)
	require.Error(t, list(ctx))
	require.Equal(t, 2, store.read)

	late, free := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer free()
	require.True(t, apierrors.IsTimeout(list(late)))
	require.Equal(t, 2, store.read)
}
