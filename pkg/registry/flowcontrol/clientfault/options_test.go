package clientfault

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

const bodyLimit = 300

// asked sends a request through Options to an API that answers 204, and returns
// the status, the answer, and the body that the API saw.
func asked(t *testing.T, verb, query, contentType, body string) (code int, answer, seen string) {
	t.Helper()
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, metav1.SchemeGroupVersion)
	scheme.AddUnversionedTypes(schema.GroupVersion{Version: "v1"}, &metav1.Status{})
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		seen = string(content)
		w.WriteHeader(http.StatusNoContent)
	})
	request := httptest.NewRequestWithContext(apirequest.WithRequestInfo(t.Context(), &apirequest.RequestInfo{
		IsResourceRequest: verb != "", Verb: verb, APIGroup: "group", APIVersion: "v1", Resource: "things",
	}), http.MethodPost, "/?"+query, strings.NewReader(body))
	request.Header.Set("Content-Type", contentType)
	recorder := httptest.NewRecorder()
	Options(api, serializer.NewCodecFactory(scheme).WithoutConversion(), bodyLimit).ServeHTTP(recorder, request)
	return recorder.Code, recorder.Body.String(), seen
}

func TestOptionsThatMakeNoSenseAreBadRequests(t *testing.T) {
	const apply, merge = "application/apply-patch+yaml", "application/merge-patch+json"
	for _, test := range []struct {
		name, verb, query, contentType string
		says                           string // empty: the request is passed on
	}{
		{"create in earnest", "create", "", "", ""},
		{"dry run of all", "update", "dryRun=All", "", ""},
		{"dry run of some", "create", "dryRun=Some", "", `dryRun: Unsupported value`},
		{"dry run of nothing", "patch", "dryRun=", merge, `dryRun: Unsupported value`},
		{"dry run of some in a deletion", "deletecollection", "dryRun=Some", "", `dryRun: Unsupported value`},
		{"dry run of a read, which is none", "list", "dryRun=Some", "", ""},
		{"apply by somebody", "patch", "fieldManager=me", apply, ""},
		{"apply by nobody", "patch", "force=true", apply, "fieldManager: Required value"},
		{"apply by nobody, with a parameter of the type", "patch", "", apply + "; charset=utf-8", "fieldManager: Required value"},
		{"merge patch by nobody", "patch", "", merge, ""},
		{"patch of no type", "patch", "", ";;", ""},
		{"list of an exact version", "list", "resourceVersion=5&resourceVersionMatch=Exact", "", ""},
		{"list of an exact version that is not given", "list", "resourceVersionMatch=Exact", "", "resourceVersionMatch: Forbidden"},
		{"list of exactly any version", "list", "resourceVersion=0&resourceVersionMatch=Exact", "", "resourceVersionMatch: Forbidden"},
		{"list with a match that there is not", "list", "resourceVersion=5&resourceVersionMatch=About", "", "resourceVersionMatch: Unsupported value"},
		{"list with options that cannot be read", "list", "limit=many&resourceVersionMatch=Exact", "", ""},
		{"list with another fault", "list", "sendInitialEvents=true", "", ""},
		{"watch, whose faults the contract leaves to the library", "watch", "watch=1&resourceVersionMatch=Exact", "", ""},
		{"what is no resource", "", "dryRun=Some", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, answer, _ := asked(t, test.verb, test.query, test.contentType, "")
			if test.says == "" {
				require.Equal(t, http.StatusNoContent, code, answer)
				return
			}
			require.Equal(t, http.StatusBadRequest, code)
			require.Contains(t, answer, `"reason":"BadRequest"`)
			require.Contains(t, answer, test.says)
		})
	}
}

func TestBodyOfADeletionMustBeOptions(t *testing.T) {
	long := `{"preconditions":{"uid":"` + strings.Repeat("x", bodyLimit) + `"}}`
	for _, test := range []struct {
		name, query, contentType, body string
		seen                           string // what the API is given; empty: 400
	}{
		{"options", "", "application/json", `{"propagationPolicy":"Orphan"}`, `{"propagationPolicy":"Orphan"}`},
		{"options as YAML", "", "application/yaml", "propagationPolicy: Orphan", "propagationPolicy: Orphan"},
		{"options of the first version", "", "application/json", `{"apiVersion":"v1","kind":"DeleteOptions"}`, `{"apiVersion":"v1","kind":"DeleteOptions"}`},
		{"a list", "", "application/json", `[]`, ""},
		{"nothing but a brace", "", "application/json", `{`, ""},
		{"another kind", "", "application/json", `{"apiVersion":"meta.k8s.io/v1","kind":"ListOptions"}`, ""},
		{"a dry run of some", "", "application/json", `{"dryRun":["Some"]}`, ""},
		{"a type that is left to the library to refuse", "", "application/xml", `<x/>`, `<x/>`},
		{"a length that is left to the library to refuse", "", "application/json", long, long},
		{"a dry run in the URL and none in the body", "dryRun=All", "application/yaml", "propagationPolicy: Orphan",
			`{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1","propagationPolicy":"Orphan","dryRun":["All"]}`},
	} {
		for _, verb := range []string{"delete", "deletecollection"} {
			t.Run(test.name+", "+verb, func(t *testing.T) {
				code, answer, seen := asked(t, verb, test.query, test.contentType, test.body)
				require.Equal(t, test.seen, seen)
				if test.seen == "" {
					require.Equal(t, http.StatusBadRequest, code, answer)
					require.Contains(t, answer, `"reason":"BadRequest"`)
				}
			})
		}
	}
}
