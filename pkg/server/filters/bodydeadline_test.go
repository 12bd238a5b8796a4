package filters_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/filters"
)

func TestReadingABodyEndsAfterTheDeadlineOfItsRequest(t *testing.T) {
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(protocol, func(t *testing.T) {
			ended := make(chan error, 1)
			reads := filters.WithBodyDeadline(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				assert.Equal(t, protocol, r.Proto)
				_, err := io.ReadAll(r.Body)
				ended <- err
			}))
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				// It was over long ago, so that nothing waits here.
				ctx, cancel := context.WithDeadline(r.Context(), time.Now().Add(-time.Hour))
				defer cancel()
				if r.URL.Path == "/without" {
					ctx = r.Context()
				}
				reads.ServeHTTP(w, r.WithContext(ctx))
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
			require.ErrorIs(t, <-ended, os.ErrDeadlineExceeded)
			_ = never.Close()
			<-sent

			response, err := server.Client().Post(server.URL+"/without", "text/plain", http.NoBody)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.NoError(t, <-ended, "a request without a deadline is read to its end")
		})
	}
}
