package storage

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
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
		options *metainternalversion.ListOptions
		fails   func(error) bool
	}{
		"no version, and the cache is up to date":     {lagging{latest: 9, cached: "9"}, &metainternalversion.ListOptions{}, nil},
		"no options are no version":                   {lagging{latest: 9, cached: "7"}, nil, storage.IsTooLargeResourceVersion},
		"no version, and the cache does not catch up": {lagging{latest: 9, cached: "7"}, &metainternalversion.ListOptions{}, storage.IsTooLargeResourceVersion},
		"no version, and etcd is unavailable":         {lagging{err: errEtcd}, &metainternalversion.ListOptions{}, func(err error) bool { return errors.Is(err, errEtcd) }},
		"initial events, for which the library waits": {lagging{latest: 9, cached: "7"}, &metainternalversion.ListOptions{SendInitialEvents: new(true)}, nil},
		"any version":                                   {lagging{latest: 9, cached: "7"}, &metainternalversion.ListOptions{ResourceVersion: "0"}, nil},
		"a version that the store has":                  {lagging{latest: 9, cached: "7"}, &metainternalversion.ListOptions{ResourceVersion: "7"}, nil},
		"a version from the future":                     {lagging{latest: 9, cached: "7"}, &metainternalversion.ListOptions{ResourceVersion: "12"}, apierrors.IsResourceExpired},
		"an invalid version, which the library rejects": {lagging{latest: 9, cached: "7"}, &metainternalversion.ListOptions{ResourceVersion: "x"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			rest := &REST{Store: &genericregistry.Store{
				NewFunc:     func() runtime.Object { return &flowcontrol.FlowSchema{} },
				KeyRootFunc: func(context.Context) string { return "/flowschemas" },
				Storage:     genericregistry.DryRunnableStorage{Storage: &c.store},
			}}
			err := rest.awaitStart(t.Context(), c.options)
			if c.fails == nil {
				require.NoError(t, err)
				return
			}
			require.True(t, c.fails(err), "%v", err)
		})
	}
}
