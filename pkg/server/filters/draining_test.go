package filters

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnswersCloseTheConnectionOnceDraining(t *testing.T) {
	draining := make(chan struct{})
	handler := WithConnectionDraining(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }), draining)
	connection := func() string {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		require.Equal(t, http.StatusNoContent, recorder.Code)
		return recorder.Header().Get("Connection")
	}
	require.Empty(t, connection())
	close(draining)
	require.Equal(t, "close", connection())
}
