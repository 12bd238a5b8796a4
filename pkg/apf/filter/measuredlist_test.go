package filter

import (
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

const fromCache = "resourceVersion=0"

// newLearningSite returns a server that stores 10,000 objects of 1,000 bytes. It learns
// what lists cost, and counts what they read.
func newLearningSite(t *testing.T) *site {
	t.Helper()
	s := newSite(t, queueset.Reject, 1_000)
	s.options.ListCost = estimate.CostLearned
	s.options.History = estimate.NewHistory()
	s.options.Objects = func(string) (int64, error) { return 10_000, nil }
	s.options.Sizes = func(string) int64 { return 1_000 }
	s.options.CountsReads = true
	return s
}

// learnt returns the rows of what was learned.
func (s *site) learnt() []estimate.LearnedRow { return s.options.History.Report(s.engine.Now()) }

// seats returns the seats of a list.
func (s *site) seats(query string) int { return s.estimate(requestBy(nobody, "list", query)).Initial }

// writing is a handler that writes a body in parts of the given size.
func writing(body []byte, part int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for part := range slices.Chunk(body, part) {
			_, _ = w.Write(part)
		}
	}
}

func TestMemoryOfAListIsMeasured(t *testing.T) {
	const fromEtcd = "resourceVersion=5&resourceVersionMatch=Exact"
	read := func(size int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			for range size / 1_000 {
				CountRead(r.Context(), 1_000)
			}
			_, _ = w.Write([]byte("{}"))
		}
	}
	compressed := func(size int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			encoder := gzip.NewWriter(w)
			_, err := encoder.Write(make([]byte, size))
			assert.NoError(t, errors.Join(err, encoder.Close()))
		}
	}
	const table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
	for _, test := range []struct {
		name, query, accept string
		handler             http.HandlerFunc
		want                int64
	}{
		{"the response of the cache", fromCache, "", writing(make([]byte, 700_000), 1_000), 700_000},
		{"which is encoded object by object", fromCache, "application/vnd.kubernetes.protobuf", writing(make([]byte, 7_000_000), 1_000), 1_000_000},
		{"unless it is encoded as a whole", fromCache, table, writing(make([]byte, 7_000_000), 7_000_000), 7_000_000},
		{"what is read from etcd, whatever is chosen of it", fromEtcd + "&labelSelector=a", "", read(9_000_000), 9_000_000},
		{"what the cache has read from etcd", fromCache, "", read(9_000_000), 9_000_000},
		{"what was compressed", fromCache, "", compressed(700_000), 700_000},
		{"what was compressed and encoded as a whole", fromCache, table, compressed(7_000_000), 7_000_000},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newLearningSite(t)
			for range 3 {
				r := requestBy(nobody, "list", test.query)
				r.Header.Set("Accept", test.accept)
				require.Equal(t, http.StatusOK, s.ask(s.before(test.handler), r).Code)
			}
			rows := s.learnt()
			require.Len(t, rows, 1)
			assert.Equal(t, test.want, rows[0].Bytes)
			assert.EqualValues(t, 3, rows[0].Lists)
			assert.Equal(t, estimate.StoredType{Resource: "configmaps"}, rows[0].StoredType)
			s.requireIdle()
		})
	}
}

func TestDurationOfAListIsMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newLearningSite(t)
		<-time.After(time.Hour)
		s.ask(s.before(func(w http.ResponseWriter, _ *http.Request) {
			<-time.After(3 * time.Second)
			_, _ = w.Write([]byte("{}"))
		}), requestBy(nobody, "list", fromCache))
		assert.Equal(t, 3*time.Second, s.learnt()[0].Took)
	})
}

func TestSeatsOfAListFollowWhatSuchListsTook(t *testing.T) {
	s := newLearningSite(t)
	require.Equal(t, 10, s.seats(fromCache), "10,000 objects of 1,000 bytes, at most 1,000,000 at one time")
	for range 3 {
		s.ask(s.before(writing(make([]byte, 250_000), 1_000)), requestBy(nobody, "list", fromCache))
	}
	assert.Equal(t, 3, s.seats(fromCache))
	assert.Equal(t, 10, s.seats(fromCache+"&labelSelector=a"), "another kind")
	assert.Equal(t, 3, s.estimate(requestBy(nobody, "watch", fromCache)).Initial, "a watch that begins with such a list")
	assert.Equal(t, 100, s.seats(fromCache+"&pretty=true"), "also unseen, and encoded as a whole")
	assert.Equal(t, 3, s.estimate(requestBy(nobody, "watch", fromCache+"&pretty=true")).Initial, "a watch encodes object by object")
	s.ask(s.before(func(_ http.ResponseWriter, r *http.Request) {
		CountRead(r.Context(), 2_000_000)
		assert.Equal(t, 20, s.seats(fromCache), "this list has taken more, before it ends")
	}), requestBy(nobody, "list", fromCache))
}

func TestWithoutCountedReadsAListWithASelectorIsNotLowered(t *testing.T) {
	for query, want := range map[string]int{"": 1, "&labelSelector=a": 50, "&fieldSelector=a%3Db": 50} {
		s := newLearningSite(t)
		s.options.CountsReads = false
		query = "limit=20&continue=x" + query
		for range 5 {
			s.ask(s.before(writing(make([]byte, 20_000), 1_000)), requestBy(nobody, "list", query))
		}
		assert.Equal(t, want, s.seats(query), query)
		s.ask(s.before(writing(make([]byte, 7_000_000), 1_000)), requestBy(nobody, "list", query))
		assert.Equal(t, 70, s.seats(query), query)
	}
}

func TestOnlyListsThatSucceedAreLearned(t *testing.T) {
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = w.Write(make([]byte, 300_000))
		}
	}
	handler := writing(make([]byte, 5_000), 100)
	for _, test := range []struct {
		name    string
		verb    string
		query   string
		handler http.HandlerFunc
		writer  http.ResponseWriter
	}{
		{"a list that is forbidden", "list", "", status(http.StatusForbidden), httptest.NewRecorder()},
		{"a list that fails", "list", "", status(http.StatusInternalServerError), httptest.NewRecorder()},
		{"a list that the client does not read", "list", "", handler, brokenWriter{httptest.NewRecorder()}},
		{"a list that loses a part on its way", "list", "", handler, &lossyWriter{ResponseWriter: httptest.NewRecorder()}},
		{"a list that panics", "list", "", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{")); panic("x") }, httptest.NewRecorder()},
		{"a list with invalid options", "list", "limit=x", handler, httptest.NewRecorder()},
		{"a watch", "watch", "", handler, httptest.NewRecorder()},
		{"a get", "get", "", handler, httptest.NewRecorder()},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newLearningSite(t)
			func() {
				defer func() { _ = recover() }()
				s.before(test.handler).ServeHTTP(test.writer, requestBy(nobody, test.verb, test.query))
			}()
			assert.Empty(t, s.learnt())
			s.requireIdle()
		})
	}
}

// A client that leaves before its large list ends does not make lists of this kind cheap, nor
// expensive for long.
func TestAListThatTookMoreIsLearnedEvenIfItFails(t *testing.T) {
	for name, fail := range map[string]func(http.ResponseWriter){
		"a panic":  func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"a status": func(w http.ResponseWriter) { w.WriteHeader(http.StatusGatewayTimeout) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newLearningSite(t)
			small := s.before(writing(make([]byte, 50_000), 1_000))
			for range 3 {
				s.ask(small, requestBy(nobody, "list", fromCache))
			}
			require.Equal(t, 1, s.seats(fromCache))
			func() {
				defer func() { _ = recover() }()
				s.ask(s.before(func(w http.ResponseWriter, r *http.Request) {
					CountRead(r.Context(), 2_000_000)
					fail(w)
				}), requestBy(nobody, "list", fromCache))
			}()
			require.Equal(t, 20, s.seats(fromCache))
			for range 24 {
				s.ask(small, requestBy(nobody, "list", fromCache))
			}
			assert.Equal(t, 1, s.seats(fromCache))
			s.requireIdle()
		})
	}
}

func TestListsOfTypesThatOthersServeAreNotLearned(t *testing.T) {
	s := newLearningSite(t)
	s.options.Objects = func(string) (int64, error) { return 0, fcrequest.ObjectCountNotFoundErr }
	s.ask(s.before(writing(make([]byte, 5_000_000), 1_000)), requestBy(nobody, "list", ""))
	assert.Empty(t, s.learnt())
	assert.Equal(t, 1, s.seats(""))
}

func TestReadsOfOtherRequestsAreNotCounted(t *testing.T) {
	assert.NotPanics(t, func() { CountRead(context.Background(), 1) })
}
