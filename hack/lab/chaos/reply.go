package chaos

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Reply is the answer to a request.
type Reply struct {
	// Code is the status code, 0 if there was no whole answer. Then Err says why.
	Code int
	Body []byte
	Err  error
}

// Sent reports whether the request may have reached the server: a connection
// existed.
func (r Reply) Sent() bool {
	var network *net.OpError
	return r.Err == nil || !errors.As(r.Err, &network) || network.Op != "dial"
}

// Failed reports whether the server failed: there was no answer, or the answer reports a failure or
// asks the client to retry.
func (r Reply) Failed() bool {
	return r.Code == 0 || r.Code == http.StatusTooManyRequests || r.Code >= http.StatusInternalServerError
}

// Retriable reports whether a client may send a request that failed again, whatever
// it asked for: there was no connection, or the server rejected to execute it.
func (r Reply) Retriable() bool {
	return !r.Sent() || r.Code == http.StatusTooManyRequests || r.Code == http.StatusServiceUnavailable
}

// Kind is what there was of an answer: no connection, no answer, or its code.
func (r Reply) Kind() string {
	switch {
	case !r.Sent():
		return "no connection"
	case r.Code == 0:
		return "no answer"
	default:
		return fmt.Sprintf("code %d", r.Code)
	}
}

func (r Reply) String() string {
	if r.Code == 0 {
		return fmt.Sprintf("no answer: %v", r.Err)
	}
	return fmt.Sprintf("code %d: %.500s", r.Code, r.Body)
}

// Outcome converts a reply to a result. The error is about an answer that no server
// may give to these requests.
func (r Reply) Outcome() (Result, error) {
	var status metav1.Status
	switch {
	case r.Failed(): // 429: the server fills its cache
		return Unknown, nil
	case r.Code == http.StatusOK || r.Code == http.StatusCreated:
		return Done, nil
	case json.Unmarshal(r.Body, &status) != nil:
	case status.Reason == metav1.StatusReasonNotFound:
		return Absent, nil
	case status.Reason == metav1.StatusReasonAlreadyExists:
		return Exists, nil
	case status.Reason == metav1.StatusReasonConflict:
		return Conflict, nil
	case status.Reason == metav1.StatusReasonInvalid:
		return Mismatch, nil
	}
	return Unknown, fmt.Errorf("an answer that none of these requests may get: %v", r)
}
