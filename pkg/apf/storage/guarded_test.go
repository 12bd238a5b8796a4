package storage

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apiserver/pkg/storage"
	etcdfeature "k8s.io/apiserver/pkg/storage/feature"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/test/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/leaks"
)

func TestMain(m *testing.M) {
	etcdfeature.DefaultFeatureSupportChecker = etcdWithProgress{etcdfeature.DefaultFeatureSupportChecker}
	leaks.Main(m)
}

// etcdWithProgress supports what the watch cache needs for lists of the latest state, as etcd
// does since 3.5.8.
type etcdWithProgress struct {
	etcdfeature.FeatureSupportChecker
}

func (etcdWithProgress) Supports(storage.Feature) bool { return true }

func fifty() []*list {
	lists := make([]*list, 50)
	for i := range lists {
		lists[i] = &list{}
	}
	return lists
}

// The first list reads at once. Lists that arrive meanwhile share the next read.
func TestFiftyIdenticalListsReadTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, 600)
		lists := fifty()
		s.sendAll(lists)
		for _, l := range lists {
			assertSound(t, l, 1)
		}
		assert.LessOrEqual(t, s.etcd.reads, 2)
		assert.Equal(t, 1, s.etcd.most, "at once")
		for i, l := range lists {
			l.result.Items[0].Name = "changed"
			assert.NotEqual(t, "changed", lists[(i+1)%len(lists)].result.Items[0].Name, "each has an array of its own")
			l.result.Items[0].Name = "/configmaps/"
		}
		s.requireNothingLeft()
		assert.EqualValues(t, s.etcd.reads, testutil.ToFloat64(s.reads.total.WithLabelValues("configmaps", read)))
		assert.EqualValues(t, 50-s.etcd.reads, testutil.ToFloat64(s.reads.total.WithLabelValues("configmaps", shared)))
		problems, err := testutil.CollectAndLint(s.reads)
		require.NoError(t, err)
		assert.Empty(t, problems)
	})
}

func TestReadsOfEtcdAreLoggedOnceAMinute(t *testing.T) {
	log := logs.Record(t, "0")
	said := func() int { return strings.Count(log.String(), "Lists read from etcd") }
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, 600)
		s.sendAll(fifty())
		assert.Equal(t, 1, said())
		<-time.After(logInterval)
		s.sendAll([]*list{{}})
		assert.Equal(t, 2, said())
	})
}

func TestListsThatDifferDoNotShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, 600)
		s.sendAll([]*list{{}, {query: "limit=5"}, {query: "limit=6"}, {query: "resourceVersion=0&limit=5"}})
		assert.Equal(t, 4, s.etcd.reads)
	})
}

func TestAnErrorOfEtcdIsThatOfAllWhoShareTheRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, 600)
		s.etcd.err = errOfEtcd
		lists := fifty()
		s.sendAll(lists)
		for _, l := range lists {
			require.ErrorIs(t, l.err, errOfEtcd)
		}
		s.requireNothingLeft()
	})
}

func TestAPanicHarmsNobodyElseForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, 600)
		s.etcd.panics = true
		lists := fifty()
		s.sendAll(lists)
		panics := 0
		for _, l := range lists {
			require.Error(t, l.err)
			if strings.HasPrefix(l.err.Error(), "panic: ") {
				panics++
			}
		}
		assert.Equal(t, s.etcd.reads, panics)
		s.requireNothingLeft()
	})
}

// Lists of custom resources hold a map, which one of them may change.
func TestUnstructuredListsHaveMapsOfTheirOwn(t *testing.T) {
	from, to := &unstructured.UnstructuredList{}, &unstructured.UnstructuredList{}
	from.SetResourceVersion("7")
	from.Items = make([]unstructured.Unstructured, 1)
	require.NoError(t, copyList(from, to))
	to.SetResourceVersion("8")
	to.Items[0].Object = map[string]any{}
	assert.Equal(t, "7", from.GetResourceVersion())
	assert.Nil(t, from.Items[0].Object)
}

// A list without flow control, such as one of the server's own, has no seats to exchange.
func TestAListWithoutFlowControlSharesReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, 600)
		var sent sync.WaitGroup
		for range 50 {
			sent.Go(func() {
				assert.NoError(t, s.store.GetList(t.Context(), "/configmaps/", storage.ListOptions{}, newList()))
			})
		}
		sent.Wait()
		assert.LessOrEqual(t, s.etcd.reads, 2)
		s.requireNothingLeft()
	})
}
