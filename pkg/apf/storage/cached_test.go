package storage

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/cacher"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	featuregatetesting "k8s.io/component-base/featuregate/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// These tests need real time: the library's reflector has a channel that no bubble of
// testing/synctest can have.

// stalled is an etcd whose watches report nothing.
type stalled struct {
	*etcd

	fill <-chan struct{} // closed when the list may return that fills the cache
}

func (s *stalled) Versioner() storage.Versioner               { return storage.APIObjectVersioner{} }
func (s *stalled) RequestWatchProgress(context.Context) error { return nil }
func (s *stalled) ReadinessCheck() error                      { return nil }
func (s *stalled) CompactRevision() int64                     { return 0 } // asked for since 0.34

func (s *stalled) GetCurrentResourceVersion(context.Context) (uint64, error) {
	return uint64(s.latest()), nil
}

func (s *stalled) Watch(_ context.Context, _ string, options storage.ListOptions) (watch.Interface, error) {
	if options.SendInitialEvents != nil { // as caches fill themselves since 0.34, unless it is invalid
		return nil, apierrors.NewInvalid(schema.GroupKind{}, "", nil)
	}
	return watch.NewFake(), nil
}

// GetList is the list that fills the cache.
func (s *stalled) GetList(_ context.Context, _ string, _ storage.ListOptions, list runtime.Object) error {
	<-s.fill
	list.(*metav1.PartialObjectMetadataList).ResourceVersion = strconv.Itoa(s.latest())
	return nil
}

// requests is the store that requests read, beside the list that fills the cache.
type requests struct{ *stalled }

func (r requests) GetList(ctx context.Context, key string, options storage.ListOptions, list runtime.Object) error {
	return r.etcd.GetList(ctx, key, options, list)
}

// withCache gives the site a watch cache that does not advance, and may be filled or never.
func (s *site) withCache(filled bool) (stop func()) {
	// Since 0.34 it reads the sizes of objects from an etcd, and keeps what is past.
	gates := utilfeature.DefaultMutableFeatureGate
	for _, gate := range []featuregate.Feature{"SizeBasedListCostEstimate", "ListFromCacheSnapshot"} {
		if _, ok := gates.GetAll()[gate]; ok {
			featuregatetesting.SetFeatureGateDuringTest(s.t, gates, gate, false)
		}
	}
	scheme := runtime.NewScheme()
	require.NoError(s.t, metav1.AddMetaToScheme(scheme))
	filling := make(chan struct{})
	e := &stalled{s.etcd, filling}
	endFilling := sync.OnceFunc(func() { close(filling) }) // or the cache could not be stopped
	fill := func(storage.Interface, schema.GroupResource) (storage.Interface, func()) { return e, endFilling }
	store, stopCache, err := s.reads.withCache(Layers{Fill: fill}, requests{e}, cacher.Config{
		Versioner:           e.Versioner(),
		GroupResource:       configMaps,
		ResourcePrefix:      "/configmaps/",
		EventsHistoryWindow: cacher.DefaultEventFreshDuration,
		KeyFunc:             func(runtime.Object) (string, error) { return "/configmaps/x", nil },
		GetAttrsFunc:        func(runtime.Object) (labels.Set, fields.Set, error) { return nil, nil, nil },
		NewFunc:             func() runtime.Object { return &metav1.PartialObjectMetadata{} },
		NewListFunc:         newList,
		Codec:               serializer.NewCodecFactory(scheme).LegacyCodec(metav1.SchemeGroupVersion),
	})
	require.NoError(s.t, err)
	s.store, s.etcd.took = store, 300*time.Millisecond
	if filled {
		endFilling()
		eventually.Holds(s.t, "the cache is filled", func(a *eventually.Attempt) { require.NoError(a, store.ReadinessCheck()) })
	}
	return stopCache
}

// assertShared asserts that one read served several lists. How many depends on when the scheduler
// runs them: lists that come while a read executes share the next.
func (s *site) assertShared(lists []*list) {
	s.t.Helper()
	assert.Equal(s.t, 1, s.etcd.most, "identical reads at once")
	assert.LessOrEqual(s.t, s.etcd.reads, len(lists)/5)
}

// The cache lags: the lists wait for it, for the three seconds of the library, and then share
// a read.
func TestListsOfALaggingCacheShareARead(t *testing.T) {
	s := newSite(t, 600)
	stop := s.withCache(true)
	defer stop()
	s.etcd.write()
	lists := fifty()
	s.sendAll(lists)
	for _, l := range lists {
		assertSound(t, l, 2)
	}
	s.assertShared(lists)
	assert.Zero(t, s.figures().SeatsInUse)
}

// A cache that keeps up serves lists as ever.
func TestListsOfACacheThatKeepsUpDoNotReadEtcd(t *testing.T) {
	s := newSite(t, 600)
	stop := s.withCache(true)
	defer stop()
	l := &list{}
	s.sendAll([]*list{l})
	require.NoError(t, l.err)
	assert.Zero(t, s.etcd.reads)
}

// At start, and after the cache has had to begin again, the library reads pages from etcd, and
// rejects other lists.
func TestListsOfACacheThatIsNotFilledShareARead(t *testing.T) {
	s := newSite(t, 600)
	stop := s.withCache(false)
	defer stop()
	lists := fifty()
	for _, l := range lists {
		l.query = "limit=500"
	}
	whole := &list{}
	s.sendAll(append(lists, whole))
	for _, l := range lists {
		assertSound(t, l, 1)
	}
	s.assertShared(lists)
	assert.True(t, apierrors.IsTooManyRequests(whole.err), "%v", whole.err)
}

// What is known of the past is the same for all, but was estimated as a read from etcd.
func TestOldVersionsAndPagesOfThePastReadAtOnce(t *testing.T) {
	s := newSite(t, 600)
	stop := s.withCache(true)
	defer stop()
	s.etcd.err = apierrors.NewResourceExpired("the token expired")
	expired := &list{query: "limit=500&continue=" + continueToken(t)}
	s.sendAll([]*list{expired})
	require.True(t, apierrors.IsResourceExpired(expired.err), "%v", expired.err)
	assert.Equal(t, int32(http.StatusGone), expired.err.(apierrors.APIStatus).Status().Code)
	assert.Equal(t, 1, s.etcd.reads)
}

func continueToken(t *testing.T) string {
	t.Helper()
	token, err := storage.EncodeContinue("/configmaps/x", "/configmaps/", 1)
	require.NoError(t, err)
	return token
}
