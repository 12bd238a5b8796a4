package filters

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// TestTimeoutIsAnsweredWithACompleteStatus is about ?timeout=1ns, whose answer had no
// kind.
func TestTimeoutIsAnsweredWithACompleteStatus(t *testing.T) {
	ctx, cancel := context.WithTimeout(apirequest.WithRequestInfo(t.Context(), &apirequest.RequestInfo{Verb: "get"}), 0)
	defer cancel()
	finish := make(chan struct{})
	defer close(finish)
	handler := WithTimeout(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-finish }),
		func(*http.Request, *apirequest.RequestInfo) bool { return false })
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
	require.Equal(t, http.StatusGatewayTimeout, answer.Code)
	var status metav1.Status
	require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &status))
	require.Equal(t, metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, status.TypeMeta)
	require.Equal(t, metav1.StatusReasonTimeout, status.Reason)
}

func TestLongRunningRequestsHaveNoTimeout(t *testing.T) {
	ctx, cancel := context.WithCancel(apirequest.WithRequestInfo(t.Context(), &apirequest.RequestInfo{Verb: "watch"}))
	cancel()
	handler := WithTimeout(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }),
		func(*http.Request, *apirequest.RequestInfo) bool { return true })
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
	require.Equal(t, http.StatusAccepted, answer.Code)
}

// TestAClientThatLeavesIsNoTimeout is about HTTP/2 streams that are opened and reset: as
// long as the handler works, net/http must count its request.
func TestAClientThatLeavesIsNoTimeout(t *testing.T) {
	ctx, leave := context.WithCancel(apirequest.WithRequestInfo(t.Context(), &apirequest.RequestInfo{Verb: "get"}))
	leave()
	waited := false
	handler := WithTimeout(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.NoError(t, r.Context().Err(), "the library takes its end for a timeout")
		WaitingForClient(func(handler http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				assert.ErrorIs(t, r.Context().Err(), context.Canceled)
				ctx, cancel := context.WithCancel(r.Context())
				defer cancel()
				<-ctx.Done()
				handler.ServeHTTP(w, r)
			})
		})(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			assert.NoError(t, r.Context().Err())
			assert.ErrorIs(t, WithClient(r.Context()).Err(), context.Canceled)
			info, ok := apirequest.RequestInfoFrom(WithClient(r.Context()))
			assert.True(t, ok)
			assert.Equal(t, "get", info.Verb)
			waited = true
			w.WriteHeader(http.StatusAccepted)
		})).ServeHTTP(w, r)
	}), func(*http.Request, *apirequest.RequestInfo) bool { return false })
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
	require.True(t, waited)
	require.Equal(t, http.StatusAccepted, answer.Code)
}

func TestARequestWhoseStreamIsResetBeforeItBeginsDoesNotBegin(t *testing.T) {
	for protocol, want := range map[int]bool{1: true, 2: false} {
		ctx, leave := context.WithCancel(apirequest.WithRequestInfo(t.Context(), &apirequest.RequestInfo{Verb: "create"}))
		leave()
		began := false
		handler := WithTimeout(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { began = true }),
			func(*http.Request, *apirequest.RequestInfo) bool { return false })
		request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", nil)
		request.ProtoMajor = protocol
		handler.ServeHTTP(httptest.NewRecorder(), request)
		require.Equal(t, want, began, "HTTP/%d: a client that closed its side of a connection may still read", protocol)
	}
}
