package filters_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/filters"
)

func TestReadingABodyEndsAfterTheDeadlineOfItsRequest(t *testing.T) {
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(protocol, func(t *testing.T) {
			ended := make(chan error, 1)
			reads := filters.WithBodyDeadline(filters.WithTimeout(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				assert.Equal(t, protocol, r.Proto)
				_, err := io.ReadAll(r.Body)
				ended <- err
			}), func(*http.Request, *apirequest.RequestInfo) bool { return false }))
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ctx := context.Context(pastDeadline{r.Context()})
				if r.URL.Path == "/without" {
					ctx = r.Context()
				}
				reads.ServeHTTP(w, r.WithContext(apirequest.WithRequestInfo(ctx, &apirequest.RequestInfo{Verb: "create"})))
			}))
			server.EnableHTTP2 = protocol == "HTTP/2.0"
			server.StartTLS()
			defer server.Close()

			body, never := io.Pipe()
			sent := make(chan struct{})
			go func() {
				defer close(sent)
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, body)
				assert.NoError(t, err)
				if response, err := server.Client().Do(request); err == nil {
					_ = response.Body.Close()
				}
			}()
			require.Error(t, <-ended)
			_ = never.Close()
			<-sent

			response, err := server.Client().Post(server.URL+"/without", "text/plain", http.NoBody)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.NoError(t, <-ended, "a request without a deadline is read to its end")
		})
	}
}

// pastDeadline is a context past its deadline whose timer has not fired yet, so nothing waits here.
// A context derived from it has a timer that fires first.
type pastDeadline struct{ context.Context }

func (pastDeadline) Deadline() (time.Time, bool) { return time.Unix(1, 0), true }

// A deadline set on an HTTP/2 stream after its client's reset is a timer that nobody stops. It
// keeps the stream.
func TestAStreamThatWasResetIsFreeWhenItsHandlerEnds(t *testing.T) {
	started, ended, free := make(chan struct{}), make(chan struct{}), make(chan struct{})
	reads := filters.WithBodyDeadline(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		assert.Error(t, err)
	}))
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		runtime.SetFinalizer(r.Context(), func(any) { close(free) }) // only the stream refers to it
		close(started)
		<-r.Context().Done()
		ctx, cancel := context.WithTimeout(r.Context(), time.Hour)
		defer cancel()
		reads.ServeHTTP(w, r.WithContext(ctx))
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()

	ctx, reset := context.WithCancel(t.Context())
	body, never := io.Pipe()
	defer func() { _ = never.Close() }()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, body)
		assert.NoError(t, err)
		_, err = server.Client().Do(request) //nolint:bodyclose // there is none
		assert.ErrorIs(t, err, context.Canceled)
	}()
	<-started
	reset()
	<-ended
	<-sent
	eventually.Holds(t, "nothing refers to the stream", func(a *eventually.Attempt) {
		runtime.GC()
		select {
		case <-free:
		default:
			require.Fail(a, "the stream is kept")
		}
	})
}
