package badrequest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

func TestImpersonationOfNobodyIsABadRequest(t *testing.T) {
	passed := 0
	handler := Impersonation(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { passed++ }), scheme.Codecs)
	serve := func(headers map[string]string) *httptest.ResponseRecorder {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		for name, value := range headers {
			request.Header.Set(name, value)
		}
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		return recorder
	}
	for _, header := range []string{"Impersonate-Group", "Impersonate-Uid", "Impersonate-Extra-Scopes"} {
		recorder := serve(map[string]string{header: "x"})
		require.Equal(t, http.StatusBadRequest, recorder.Code)
		var status metav1.Status
		require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), &status))
		require.Equal(t, metav1.StatusReasonBadRequest, status.Reason)
		require.Contains(t, status.Message, header+" requires Impersonate-User")
		require.Zero(t, passed)
	}
	serve(nil)
	serve(map[string]string{"Impersonate-Group": "x", "Impersonate-User": "y"})
	require.Equal(t, 2, passed)
}
