package filters

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

func TestAnAnswerAfterAFailedReviewIsReplacedAsAWhole(t *testing.T) {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	for _, test := range []struct {
		name  string
		fails error
		code  int
		body  string
	}{
		{"the review has a result", nil, http.StatusForbidden, "no"},
		{"the review has none", apierrors.NewTooManyRequests("ask again", 7), http.StatusTooManyRequests,
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"ask again","reason":"TooManyRequests","details":{"retryAfterSeconds":7},"code":429}` + "\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(WithReviewAnswers(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if failed, ok := errors.AsType[*apierrors.StatusError](test.fails); ok {
					FailReview(r.Context(), failed)
				}
				w.Header().Set("Content-Length", "2")
				w.WriteHeader(http.StatusForbidden)
				_, _ = io.WriteString(w, "no")
			}), serializer.NewCodecFactory(scheme)))
			defer server.Close()
			response, err := server.Client().Get(server.URL)
			require.NoError(t, err)
			body, err := io.ReadAll(response.Body)
			require.NoError(t, errors.Join(err, response.Body.Close()))
			require.Equal(t, test.code, response.StatusCode)
			require.Equal(t, test.body, string(body))
		})
	}
}
