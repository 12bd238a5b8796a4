package filter

import (
	"bytes"
	"compress/gzip"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leavingWriter is the connection of a client that leaves after some bytes of the body.
type leavingWriter struct {
	*httptest.ResponseRecorder
	left int
}

func (w *leavingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errors.New("connection reset by peer")
	}
	return w.ResponseRecorder.Write(p)
}

// The client reads no more than the given part of a list that was in memory. Whatever it leaves unread
// was in memory nevertheless. How much a compressed response is, is only known at its end: until then
// the formula counts, which has 10 MB for a list that is encoded as a whole, and 1 MB for others.
func TestAListThatIsNotReadIsLearned(t *testing.T) {
	body := bytes.Repeat([]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}},`), 7_000_000/63)
	var compressed bytes.Buffer
	encoder := gzip.NewWriter(&compressed)
	_, err := encoder.Write(body)
	require.NoError(t, errors.Join(err, encoder.Close()))
	inGzip := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		encoder := gzip.NewWriter(w)
		_, _ = encoder.Write(body)
		_ = encoder.Close()
	}
	byObject := func(w http.ResponseWriter, _ *http.Request) {
		for object := range slices.Chunk(body, 63) {
			if _, err := w.Write(object); err != nil {
				return
			}
		}
	}
	for _, test := range []struct {
		name, query string
		handler     http.HandlerFunc
		left, want  int
	}{
		{"the end, compressed and encoded as a whole", fromCache + "&pretty=true", inGzip, compressed.Len() - 10, 100},
		{"all, compressed and encoded as a whole", fromCache + "&pretty=true", inGzip, 0, 100},
		{"the end, compressed", fromCache, inGzip, compressed.Len() - 10, 10},
		{"all, encoded as a whole", fromCache + "&pretty=true", writing(body, len(body)), 0, 70},
		{"most, encoded object by object", fromCache, byObject, 50_000, 1},
		{"nothing, compressed and encoded as a whole", fromCache + "&pretty=true", inGzip, 1 << 30, 70},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newLearningSite(t)
			for range 24 {
				s.ask(s.before(writing(make([]byte, 10_000), 10_000)), requestBy(nobody, "list", test.query))
			}
			require.Equal(t, 1, s.seats(test.query))
			for range 10 {
				s.before(test.handler).ServeHTTP(&leavingWriter{httptest.NewRecorder(), test.left}, requestBy(nobody, "list", test.query))
			}
			assert.Equal(t, test.want, s.seats(test.query))
		})
	}
}

// The formula knows too little of these lists. A client that leaves does not make them cheap.
func TestAListThatIsNotReadLowersNoEstimate(t *testing.T) {
	s := newLearningSite(t)
	const query = fromCache + "&pretty=true"
	for range 3 {
		s.ask(s.before(writing(make([]byte, 9_000_000), 9_000_000)), requestBy(nobody, "list", query))
	}
	s.options.Objects = func(string) (int64, error) { return 6_000, nil }
	require.Equal(t, 90, s.seats(query))
	for range 30 {
		s.before(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write([]byte("the begin"))
		}).ServeHTTP(&leavingWriter{httptest.NewRecorder(), 0}, requestBy(nobody, "list", query))
	}
	assert.Equal(t, 90, s.seats(query))
}

// What a list from etcd has read is known, even if its response is compressed and is not read.
func TestWhatIsReadFromEtcdIsKnownOfAListThatIsNotRead(t *testing.T) {
	s := newLearningSite(t)
	for range 3 {
		s.before(func(w http.ResponseWriter, r *http.Request) {
			CountRead(r.Context(), 3_000_000)
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write([]byte("the begin"))
		}).ServeHTTP(&leavingWriter{httptest.NewRecorder(), 0}, requestBy(nobody, "list", fromEtcd))
	}
	assert.Equal(t, 30, s.seats(fromEtcd), "not the 100 of the formula")
}
