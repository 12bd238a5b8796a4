package filters_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

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

// pastDeadline is a context whose deadline has passed and whose timer has not fired yet, so
// that nothing waits here. What is made from it has a timer that fires first.
type pastDeadline struct{ context.Context }

func (pastDeadline) Deadline() (time.Time, bool) { return time.Unix(1, 0), true }
