package filter

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// brokenWriter is the connection of a client that has left.
type brokenWriter struct{ http.ResponseWriter }

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// lossyWriter fails to write once.
type lossyWriter struct {
	http.ResponseWriter
	failed bool
}

func (w *lossyWriter) Write(p []byte) (int, error) {
	if !w.failed {
		w.failed = true
		return 0, io.ErrShortWrite
	}
	return w.ResponseWriter.Write(p)
}

// The response writer of a list has the interfaces of the server's.
func TestResponseWriterOfAListFlushesAndHijacksAsThatOfTheServer(t *testing.T) {
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			s := newLearningSite(t)
			list := requestBy(nobody, "list", fromCache)
			flushed := make(chan struct{})
			governed := s.before(func(w http.ResponseWriter, _ *http.Request) {
				_, hijacks := w.(http.Hijacker)
				assert.Equal(t, !http2, hijacks)
				_, err := w.Write([]byte("first"))
				assert.NoError(t, err)
				assert.NoError(t, http.NewResponseController(w).Flush())
				w.(http.Flusher).Flush()
				assert.NoError(t, http.NewResponseController(w).SetWriteDeadline(time.Time{}))
				<-flushed
			})
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				governed.ServeHTTP(w, list)
			}))
			server.EnableHTTP2 = http2
			server.StartTLS()
			defer server.Close()
			response, err := server.Client().Get(server.URL)
			require.NoError(t, err)
			first := make([]byte, 5)
			_, err = io.ReadFull(response.Body, first)
			close(flushed)
			require.NoError(t, errors.Join(err, response.Body.Close()))
			assert.Equal(t, "first", string(first))
		})
	}
}

func TestHijackedListReleasesItsSeats(t *testing.T) {
	s := newLearningSite(t)
	governed := s.before(func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := http.NewResponseController(w).Hijack()
		if assert.NoError(t, err) {
			assert.NoError(t, connection.Close())
		}
	})
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		defer close(done)
		governed.ServeHTTP(w, requestBy(nobody, "list", ""))
	}))
	defer server.Close()
	response, err := server.Client().Get(server.URL)
	if err == nil {
		_ = response.Body.Close()
	}
	<-done
	assert.Error(t, err)
	assert.Empty(t, s.learnt())
	s.requireIdle()
}

func TestSizeOfACompressedBodyIsItsTrailer(t *testing.T) {
	var out bytes.Buffer
	encoder := gzip.NewWriter(&out)
	_, err := encoder.Write([]byte(strings.Repeat("abc", 10_000)))
	require.NoError(t, errors.Join(err, encoder.Close()))
	for part := 1; part < out.Len(); part++ {
		l := &measuredList{gzip: true, sent: int64(out.Len())}
		for rest := out.Bytes(); len(rest) > 0; rest = rest[min(part, len(rest)):] {
			l.keepTrailer(rest[:min(part, len(rest))])
		}
		require.EqualValues(t, 30_000, l.uncompressed())
	}
	full := [trailerLength]byte{0xff, 0xff, 0xff, 0xff}
	assert.EqualValues(t, 1032*30, (&measuredList{sent: 30, trailer: full}).uncompressed(), "what cannot be is bounded")
	assert.EqualValues(t, 1<<32+5, (&measuredList{sent: 4e9, trailer: [trailerLength]byte{5}}).uncompressed(), "modulo 2^32")
}
