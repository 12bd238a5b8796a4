package badrequest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

const bodyLimit = 300

// asked sends a request through Options to an API, and returns what the API
// answers with, and the body that it saw. Whatever is asked, the API does answer.
func asked(t *testing.T, verb, query, contentType, body string) (seen string, answer error) {
	t.Helper()
	answered := false
	api := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		answered = true
		content, err := io.ReadAll(r.Body)
		if verb == "list" {
			assert.NoError(t, err)
			err = List(r.Context())
			assert.Equal(t, err != nil, r.URL.Query().Get("resourceVersionMatch") == "" && strings.Contains(query, "resourceVersionMatch"))
		}
		seen, answer = string(content), err
	})
	request := httptest.NewRequestWithContext(apirequest.WithRequestInfo(t.Context(), &apirequest.RequestInfo{
		IsResourceRequest: verb != "", Verb: verb, APIGroup: "group", APIVersion: "v1", Resource: "things",
	}), http.MethodPost, "/?"+query, strings.NewReader(body))
	request.Header.Set("Content-Type", contentType)
	Options(api, bodyLimit).ServeHTTP(httptest.NewRecorder(), request)
	require.True(t, answered)
	return seen, answer
}

// requireRefused says that an answer is 400 with a text, or none if there is none.
func requireRefused(t *testing.T, text string, answer error) {
	t.Helper()
	if text == "" {
		require.NoError(t, answer)
		return
	}
	require.True(t, apierrors.IsBadRequest(answer), "%v", answer)
	require.ErrorContains(t, answer, text)
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
			_, answer := asked(t, test.verb, test.query, test.contentType, "")
			requireRefused(t, test.says, answer)
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
				seen, answer := asked(t, verb, test.query, test.contentType, test.body)
				require.Equal(t, test.seen, seen)
				require.Equal(t, test.seen == "", apierrors.IsBadRequest(answer), "%v", answer)
			})
		}
	}
}
