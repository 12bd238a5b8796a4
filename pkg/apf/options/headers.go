package options

import (
	"net/http"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/endpoints/responsewriter"
)

// withoutEmptyUIDs leaves out the headers of flow control that name nothing: the filter of the
// library sets both in each response, and built-in objects and manifests have no UIDs.
func withoutEmptyUIDs(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		named := &namedResponse{ResponseWriter: w}
		handler.ServeHTTP(responsewriter.WrapForHTTP1Or2(named), r)
		named.leaveOut() // of a response that nobody began
	})
}

// namedResponse is a response without empty headers of flow control.
type namedResponse struct {
	http.ResponseWriter
	begun bool
}

var (
	_ responsewriter.UserProvidedDecorator = (*namedResponse)(nil)
	_ http.Flusher                         = (*namedResponse)(nil)
)

// leaveOut leaves them out of a response that has not begun.
func (n *namedResponse) leaveOut() {
	if n.begun {
		return
	}
	for _, name := range []string{flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID, flowcontrolv1.ResponseHeaderMatchedPriorityLevelConfigurationUID} {
		if header := n.Header(); header.Get(name) == "" {
			header.Del(name)
		}
	}
}

// Unwrap implements responsewriter.UserProvidedDecorator.
func (n *namedResponse) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (n *namedResponse) WriteHeader(status int) {
	n.leaveOut()
	n.begun = status >= http.StatusOK
	n.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (n *namedResponse) Write(body []byte) (int, error) {
	n.leaveOut()
	n.begun = true
	return n.ResponseWriter.Write(body)
}

// Flush implements http.Flusher.
func (n *namedResponse) Flush() {
	n.leaveOut()
	n.begun = true
	if flusher, ok := n.ResponseWriter.(http.Flusher); ok {
		flusher.Flush()
	}
}
