package badrequest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"sigs.k8s.io/yaml"
)

// expansionFactor bounds the bytes of JSON that the library makes of a byte of YAML: a
// control character takes six, and a null of an empty value five.
const expansionFactor = 8

// FuzzAliasesStayWithinTheirBound checks that the library expands no body that passes to
// much more than the limit, whichever way it is written.
func FuzzAliasesStayWithinTheirBound(f *testing.F) {
	for _, body := range []string{
		"a: &a some text that is named twelve times\nb: [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n",
		"a: &a some text that is named twelve times\na: 1\nb: [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n",
		"a: &a !!binary eHh4eHh4eHh4eHh4eHh4\nb: [*a, *a]\n",
		"a: &a [1, 2]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: {<<: [*c]}\n",
		"%YAML 1.1\n---\na: &a {k: v}\nb:\n  <<: *a\n...\n",
		"? &a |\n  text\n: *a\n",
		"&a [*a]",
	} {
		f.Add(body)
	}
	const limit = 200
	f.Fuzz(func(t *testing.T, body string) {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
		request.Header.Set("Content-Type", "application/yaml")
		passed, err := checkAliases(request, limit)
		if err != nil || len(body) > limit {
			return
		}
		seen, err := io.ReadAll(passed.Body)
		require.NoError(t, err)
		require.Equal(t, body, string(seen), "the API reads the whole body")
		expanded, err := yaml.YAMLToJSON(seen)
		if err == nil {
			require.LessOrEqual(t, len(expanded), expansionFactor*limit, "%s", expanded)
		}
	})
}

// FuzzOptions checks that any options and body reach the API, which gets the body as it
// was sent, or an error.
func FuzzOptions(f *testing.F) {
	verbs := []string{"create", "update", "patch", "delete", "deletecollection", "list", "watch", "get"}
	f.Add(uint8(0), "dryRun=All", "application/json", `{"apiVersion":"v1"}`)
	f.Add(uint8(2), "fieldManager=x&force=true", "application/apply-patch+yaml", "spec: {a: 99999999999}")
	f.Add(uint8(2), "", "application/strategic-merge-patch+json", `{"spec":{"a":[1e300]}}`)
	f.Add(uint8(3), "dryRun=All", "application/json", `{"propagationPolicy":"Orphan"}`)
	f.Add(uint8(4), "dryRun=All&dryRun=All", "application/vnd.kubernetes.protobuf", "k8s\x00")
	f.Add(uint8(5), "resourceVersionMatch=Exact&resourceVersion=0&continue=eyJ2Ijoi", "", "")
	f.Add(uint8(6), "watch=1&continue=%00&sendInitialEvents=true", "", "")
	f.Fuzz(func(t *testing.T, verb uint8, query, contentType, body string) {
		name := verbs[int(verb)%len(verbs)]
		request := httptest.NewRequestWithContext(apirequest.WithRequestInfo(t.Context(), &apirequest.RequestInfo{
			IsResourceRequest: true, Verb: name, APIGroup: "group", APIVersion: "v1", Resource: "things",
		}), http.MethodPost, "/", strings.NewReader(body))
		request.URL.RawQuery = query
		request.Header.Set("Content-Type", contentType)
		calls := 0
		api := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			calls++
			seen, err := io.ReadAll(r.Body)
			changed := r.Header.Get("Content-Type") != contentType // the dryRun of a delete was put into its body
			if err == nil && !changed && !slices.Contains([]string{"delete", "deletecollection"}, name) {
				assert.Equal(t, body, string(seen))
			}
		})
		Options(api, bodyLimit).ServeHTTP(httptest.NewRecorder(), request)
		require.Equal(t, 1, calls)
	})
}

// FuzzImpersonation checks that no headers make the library answer with a server error,
// and that none change the user without permission.
func FuzzImpersonation(f *testing.F) {
	f.Add("Impersonate-User", "system:admin", "Impersonate-Group", "system:masters")
	f.Add("Impersonate-Uid", "1", "Impersonate-Extra-scopes", "a")
	f.Add("impersonate-user", "system:serviceaccount:a:b", "Impersonate-Extra-%zz", "")
	f.Add("Impersonate-User", "", "Impersonate-Group", "")
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, metav1.Unversioned)
	codecs := serializer.NewCodecFactory(scheme)
	requester := &user.DefaultInfo{Name: "hostile"}
	reject := authorizer.AuthorizerFunc(func(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
		return authorizer.DecisionNoOpinion, "", errors.New("no")
	})
	f.Fuzz(func(t *testing.T, name, value, another, second string) {
		request := httptest.NewRequestWithContext(apirequest.WithUser(apirequest.WithRequestInfo(t.Context(), &apirequest.RequestInfo{Verb: "get"}), requester), http.MethodGet, "/", nil)
		request.Header.Add(name, value)
		request.Header.Add(another, second)
		api := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			reached, _ := apirequest.UserFrom(r.Context())
			assert.Equal(t, requester, reached)
		})
		answer := httptest.NewRecorder()
		Impersonation(withImpersonation(api, reject, codecs), codecs).ServeHTTP(answer, request)
		require.Less(t, answer.Code, http.StatusInternalServerError, answer.Body)
	})
}
