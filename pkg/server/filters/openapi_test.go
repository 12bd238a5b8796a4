package filters

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/kube-openapi/pkg/handler3"
	"k8s.io/kube-openapi/pkg/spec3"
)

func TestOpenAPIAnswersAtTheAddressOfAnotherState(t *testing.T) {
	paths := mux.NewPathRecorderMux("test")
	service := handler3.NewOpenAPIService()
	require.NoError(t, service.RegisterOpenAPIV3VersionedService("/openapi/v3", paths))
	service.UpdateGroupVersion("apis/some/v1", &spec3.OpenAPI{Version: "3.0.0"})
	paths.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere", http.StatusMovedPermanently)
	})
	handler := WithOpenAPIForAnyHash(paths)
	header := http.Header{"Audit-Id": {"of a filter in front"}}
	get := func(url string) *httptest.ResponseRecorder {
		recorder := httptest.NewRecorder()
		maps.Copy(recorder.Header(), header)
		handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, url, nil))
		return recorder
	}

	plain := get("/openapi/v3/apis/some/v1")
	require.Equal(t, http.StatusOK, plain.Code)
	require.Contains(t, plain.Body.String(), "3.0.0")

	other := get("/openapi/v3/apis/some/v1?hash=FF")
	require.Equal(t, http.StatusOK, other.Code)
	require.Equal(t, plain.Body.String(), other.Body.String())
	require.Equal(t, plain.Header(), other.Header(), "it may not be kept under that address")

	for _, unknown := range []string{"/openapi/v3/apis/other/v1", "/openapi/v3/apis/other/v1?hash=FF"} {
		require.Equal(t, http.StatusNotFound, get(unknown).Code, "the library answers 200 and nothing")
	}

	etag := plain.Header().Get("Etag")
	own := get("/openapi/v3/apis/some/v1?hash=" + etag[1:len(etag)-1])
	require.Equal(t, http.StatusOK, own.Code)
	require.Equal(t, "public, immutable", own.Header().Get("Cache-Control"))

	require.Equal(t, http.StatusMovedPermanently, get("/moved?hash=FF").Code, "a redirect that is not the library's own")
}
