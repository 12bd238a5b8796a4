package filters

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// TestTimeoutIsAnsweredWithACompleteStatus is about ?timeout=1ns, whose answer had no
// kind.
func TestTimeoutIsAnsweredWithACompleteStatus(t *testing.T) {
	ctx, cancel := context.WithCancel(apirequest.WithRequestInfo(t.Context(), &apirequest.RequestInfo{Verb: "get"}))
	cancel()
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
