package badrequest

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

const bodyLimit = 300

// serve sends a request through Options to an API. It returns the body that the
// API read and the error of the answer.
func serve(t *testing.T, verb, query, contentType, body string) (seen string, answer error) {
	t.Helper()
	answered := false
	api := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		answered = true
		content, err := io.ReadAll(r.Body)
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

// requireRejected requires a 400 that contains the text, or no error if it is empty.
func requireRejected(t *testing.T, text string, answer error) {
	t.Helper()
	if text == "" {
		require.NoError(t, answer)
		return
	}
	require.True(t, apierrors.IsBadRequest(answer), "%v", answer)
	require.ErrorContains(t, answer, text)
}

func TestAnInvalidDryRunIsInvalidInPlainText(t *testing.T) {
	const merge = "application/merge-patch+json"
	for _, test := range []struct {
		name, verb, query, contentType string
		wantErr                        string // empty: the request is passed on
	}{
		{"no dry run", "create", "", "", ""},
		{"dry run of all", "update", "dryRun=All", "", ""},
		{"unknown dry run", "create", "dryRun=Some", "", `CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: "Some": supported values: "All"`},
		{"one of several", "update", "dryRun=All&dryRun=Some", "", `UpdateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: "All,Some": supported values: "All"`},
		{"empty dry run", "patch", "dryRun=", merge, `PatchOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: "": supported values: "All"`},
		{"unknown dry run of a deletion", "deletecollection", "dryRun=Some", "", `DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: "Some": supported values: "All"`},
		{"dry run of a list, which has none", "list", "dryRun=Some", "", ""},
		{"other options, which the library rejects", "patch", "force=true&fieldValidation=x", merge, ""},
		{"patch with a malformed type", "patch", "", ";;", ""},
		{"non-resource request", "", "dryRun=Some", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, answer := serve(t, test.verb, test.query, test.contentType, "")
			if test.wantErr == "" {
				require.NoError(t, answer)
				return
			}
			require.True(t, apierrors.IsInvalid(answer), "%v", answer)
			require.EqualError(t, answer, test.wantErr)
		})
	}
}

func TestBodyOfADeleteMustBeDeleteOptions(t *testing.T) {
	long := `{"preconditions":{"uid":"` + strings.Repeat("x", bodyLimit) + `"}}`
	for _, test := range []struct {
		name, query, contentType, body string
		seen                           string // the body that the API reads; empty: an error
	}{
		{"options", "", "application/json", `{"propagationPolicy":"Orphan"}`, `{"propagationPolicy":"Orphan"}`},
		{"options as YAML", "", "application/yaml", "propagationPolicy: Orphan", "propagationPolicy: Orphan"},
		{"options of v1", "", "application/json", `{"apiVersion":"v1","kind":"DeleteOptions"}`, `{"apiVersion":"v1","kind":"DeleteOptions"}`},
		{"a list", "", "application/json", `[]`, ""},
		{"malformed JSON", "", "application/json", `{`, ""},
		{"another kind", "", "application/json", `{"apiVersion":"meta.k8s.io/v1","kind":"ListOptions"}`, ""},
		{"an unknown dry run", "", "application/json", `{"dryRun":["Some"]}`, ""},
		{"an unknown type, which the library rejects", "", "application/xml", `<x/>`, `<x/>`},
		{"too many bytes, which the library rejects", "", "application/json", long, long},
		{"a dry run in the URL and none in the body", "dryRun=All", "application/yaml", "propagationPolicy: Orphan",
			`{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1","propagationPolicy":"Orphan","dryRun":["All"]}`},
	} {
		for _, verb := range []string{"delete", "deletecollection"} {
			t.Run(test.name+", "+verb, func(t *testing.T) {
				seen, answer := serve(t, verb, test.query, test.contentType, test.body)
				require.Equal(t, test.seen, seen)
				require.Equal(t, test.seen == "", answer != nil, "%v", answer)
				require.Equal(t, test.name == "an unknown dry run", apierrors.IsInvalid(answer), "%v", answer)
			})
		}
	}
}

// A check that reads a body before the API does made the API read on: net/http takes a body that
// ended early for complete in the next read. Half a manifest in YAML may be a valid one.
func TestABodyThatIsNotWholeIsABadRequestOrTheEndOfItsClient(t *testing.T) {
	for _, test := range []struct {
		name, body string
		status     int32
		message    string
	}{
		{"a chunk of no length", "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}", http.StatusBadRequest, "the request body cannot be read to its end"},
		{"an early end", "Content-Length: 10\r\n\r\n{}", StatusLeft, "the client left before the answer"},
		{"an early end between chunks", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", StatusLeft, "the client left before the answer"},
	} {
		for _, as := range [][2]string{
			{"create", "application/json"}, {"update", "application/yaml"}, {"delete", "application/json"}, {"deletecollection", "application/yaml"},
			{"patch", "application/merge-patch+json"}, {"patch", "application/strategic-merge-patch+json"}, {"patch", "application/apply-patch+yaml"},
		} {
			t.Run(test.name+", "+as[0]+" "+as[1], func(t *testing.T) {
				answer := sendHalf(t, as[0], "Content-Type: "+as[1]+"\r\n"+test.body)
				var status apierrors.APIStatus
				require.ErrorAs(t, answer, &status)
				require.Equal(t, test.status, status.Status().Code)
				require.ErrorContains(t, answer, test.message)
			})
		}
	}
}

// sendHalf sends a part of a request, leaves, and returns the error of the answer.
func sendHalf(t *testing.T, verb, part string) error {
	t.Helper()
	answers := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		api := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			answers <- err
		})
		r = r.WithContext(apirequest.WithRequestInfo(r.Context(), &apirequest.RequestInfo{IsResourceRequest: true, Verb: verb, APIGroup: "group", APIVersion: "v1", Resource: "things"}))
		Options(api, bodyLimit).ServeHTTP(w, r)
	}))
	defer server.Close()
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	_, err = connection.Write([]byte("POST / HTTP/1.1\r\nHost: x\r\n" + part))
	require.NoError(t, err)
	require.NoError(t, connection.(*net.TCPConn).CloseWrite())
	defer func() { _ = connection.Close() }()
	return <-answers
}
