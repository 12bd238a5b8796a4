// Package filters holds the filters of the handler chain that k8s.io/apiserver
// does not have. Package server puts them in their places.
package filters

import (
	"bytes"
	"maps"
	"net/http"
	"strings"

	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/deprecation"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/warning"
)

// WithConnectionDraining moves clients to another replica before this one stops.
// Once draining is closed, each answer carries "Connection: close", and net/http
// sends GOAWAY over HTTP/2: requests under way on the connection finish, and the
// client opens its next one elsewhere.
//
// A load balancer sends no new connections to a replica that is not ready, but
// clients keep the connections that they have, and would be rejected at the end of
// --shutdown-delay-duration.
func WithConnectionDraining(handler http.Handler, draining <-chan struct{}) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-draining:
			w.Header().Set("Connection", "close")
		default:
		}
		handler.ServeHTTP(w, r)
	})
}

// DeprecationWarnings returns the library's warning about each resource of
// v1beta3 that is enabled, by the resource's plural name.
func DeprecationWarnings(enabled func(schema.GroupVersionResource) bool) map[string]string {
	v1beta3, warnings := flowcontrolv1beta3.SchemeGroupVersion, map[string]string{}
	for resource, object := range map[string]runtime.Object{
		"flowschemas":                 &flowcontrolv1beta3.FlowSchema{TypeMeta: metav1.TypeMeta{APIVersion: v1beta3.String(), Kind: "FlowSchema"}},
		"prioritylevelconfigurations": &flowcontrolv1beta3.PriorityLevelConfiguration{TypeMeta: metav1.TypeMeta{APIVersion: v1beta3.String(), Kind: "PriorityLevelConfiguration"}},
	} {
		if enabled(v1beta3.WithResource(resource)) {
			warnings[resource] = deprecation.WarningMessage(object)
		}
	}
	return warnings
}

// WithDeprecationWarnings adds the warning of a resource to each answer about it
// in v1beta3. The library's routes add the same warning, which is sent once; but a
// request with a method or media type that no route accepts reaches none of them.
func WithDeprecationWarnings(handler http.Handler, warnings map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, ok := apirequest.RequestInfoFrom(r.Context())
		if ok && info.APIVersion == flowcontrolv1beta3.SchemeGroupVersion.Version && info.APIGroup == flowcontrolv1beta3.GroupName {
			warning.AddWarning(r.Context(), "", warnings[info.Resource]) // an empty text adds none
		}
		handler.ServeHTTP(w, r)
	})
}

// WithOpenAPIForAnyHash answers 404 for an OpenAPI v3 document that does not exist, where the
// library answers 200 and nothing, and serves a document in its current state, not
// to be cached, where the library redirects because ?hash= names another state.
//
// An aggregating kube-apiserver that has v1 of this group too takes its document
// and this server's for the same one: it may give a client the hash of its own and
// send the request here. It passes no redirect on, so kubectl would fail.
func WithOpenAPIForAnyHash(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/openapi/v3/") {
			handler.ServeHTTP(w, r)
			return
		}
		before := w.Header().Clone()
		first := &redirectDropper{ResponseWriter: w}
		handler.ServeHTTP(first, r)
		if first.answered && !first.redirected {
			return
		}
		clear(w.Header())
		maps.Copy(w.Header(), before)
		if !first.answered {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		again := r.Clone(r.Context())
		again.URL.RawQuery = ""
		handler.ServeHTTP(w, again)
	})
}

// redirectDropper drops an answer that is a redirect.
type redirectDropper struct {
	http.ResponseWriter
	answered, redirected bool
}

var _ http.ResponseWriter = &redirectDropper{}

// WriteHeader implements http.ResponseWriter.
func (w *redirectDropper) WriteHeader(code int) {
	w.answered = true
	if code == http.StatusMovedPermanently {
		w.redirected = true
		return
	}
	w.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter.
func (w *redirectDropper) Write(body []byte) (int, error) {
	w.answered = true
	if w.redirected {
		return len(body), nil
	}
	return w.ResponseWriter.Write(body)
}

// CheckMessage is what a check of /readyz says to everyone. The library withholds
// the reason of a failure, since it may hold names and addresses and anyone may ask
// for health; a message is written for anyone to read.
type CheckMessage struct {
	// Check is the name of the check.
	Check string
	// Message returns what the check says now, empty for nothing.
	Message func() string
	// WhilePassing shows the message of a check that passes, too.
	WhilePassing bool
}

// FailureMessage is the message of a check that says the same whenever it fails.
func FailureMessage(check, message string) CheckMessage {
	return CheckMessage{Check: check, Message: func() string { return message }}
}

// WithCheckMessages adds the messages to the lines of the checks on /readyz.
func WithCheckMessages(handler http.Handler, messages []CheckMessage) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			handler.ServeHTTP(w, r)
			return
		}
		answer := &bufferedAnswer{ResponseWriter: w, status: http.StatusOK}
		handler.ServeHTTP(answer, r)
		w.Header().Del("Content-Length")
		w.WriteHeader(answer.status)
		_, _ = w.Write(withMessages(answer.body.Bytes(), messages)) // the client may have left
	})
}

// withMessages puts each message into the line that the library wrote for its check.
func withMessages(lines []byte, messages []CheckMessage) []byte {
	for _, m := range messages {
		text := m.Message()
		if text == "" {
			continue
		}
		lines = bytes.Replace(lines, []byte("[-]"+m.Check+" failed: reason withheld\n"), []byte("[-]"+m.Check+" failed: "+text+"\n"), 1)
		if m.WhilePassing {
			lines = bytes.Replace(lines, []byte("[+]"+m.Check+" ok\n"), []byte("[+]"+m.Check+" ok, but: "+text+"\n"), 1)
		}
	}
	return lines
}

// bufferedAnswer keeps the answer of a health endpoint, which has a few lines.
type bufferedAnswer struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

var _ http.ResponseWriter = &bufferedAnswer{}

// WriteHeader implements http.ResponseWriter.
func (a *bufferedAnswer) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter.
func (a *bufferedAnswer) Write(content []byte) (int, error) { return a.body.Write(content) }
