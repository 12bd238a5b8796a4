package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/etcd/raft/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/storage"
)

// etcdRetrySeconds is the Retry-After of answers while etcd is not available. An election
// takes a second or two.
const etcdRetrySeconds = 1

// etcdOutcome is what is known about a request to etcd that failed.
type etcdOutcome int

const (
	// outcomeOther means that etcd answered, or that the error is not of etcd's availability.
	outcomeOther etcdOutcome = iota
	// outcomeNotExecuted means that etcd did not execute the request: no member could be
	// reached, or the member had no leader to pass the request on to.
	outcomeNotExecuted
	// outcomeUnknown means that etcd received the request, or may have, and did not confirm
	// it. It may execute it later.
	outcomeUnknown
)

// readStatus returns the status of a read that failed. The library answers 500 to all
// errors of an etcd that is not available:
//
//   - 503 if etcd is not available: no leader, a change of the leader, a timeout in etcd,
//     no connection, a connection that broke. A client may send the read again, after
//     Retry-After.
//   - 504 if etcd did not answer before the deadline of the request.
//
// Other errors are returned as they are.
func readStatus(err error) error {
	switch outcome := etcdOutcomeOf(err); {
	case outcome == outcomeOther:
		return err
	case isDeadline(err):
		return apierrors.NewTimeoutError(fmt.Sprintf("etcd did not respond before the deadline of the request: %v", err), etcdRetrySeconds)
	default:
		return newServiceUnavailable(fmt.Sprintf("etcd is not available: %v", err))
	}
}

// writeStatus returns the status of a write that failed:
//
//   - 503 if nothing was written: "no leader", "leader changed" (etcd returns both before
//     it proposes a write), "too many requests", "raft proposal dropped", or no connection.
//     A client may send the write again, after Retry-After.
//   - 504 without Retry-After if the write may be stored, now or later: "request timed
//     out" of every kind, "server stopped", a connection that broke, the deadline of the
//     request. A client must read the object first. Clients repeat a request by themselves
//     if its answer has a Retry-After, so this one must have none.
//
// Other errors are returned as they are.
func writeStatus(err error) error {
	switch etcdOutcomeOf(err) {
	case outcomeNotExecuted:
		return newServiceUnavailable(fmt.Sprintf("etcd is not available, nothing was written: %v", err))
	case outcomeUnknown:
		return apierrors.NewTimeoutError(fmt.Sprintf("etcd did not confirm the write, which may be stored: read the object before you send the request again: %v", err), 0)
	default:
		return err
	}
}

// etcdOutcomeOf reads what etcd's client, or gRPC below it, returned. Errors of plug-ins
// for encryption are gRPC's too; the library wraps them as internal errors.
func etcdOutcomeOf(err error) etcdOutcome {
	var answered apierrors.APIStatus
	if _, internal := errors.AsType[storage.InternalError](err); err == nil || internal || errors.As(err, &answered) {
		return outcomeOther
	}
	code := status.Code(err)
	if etcd, ok := errors.AsType[rpctypes.EtcdError](err); ok {
		code = etcd.Code()
	}
	switch {
	case isNotExecuted(rpctypes.ErrorDesc(err)):
		return outcomeNotExecuted
	case code == codes.Unavailable, isDeadline(err):
		return outcomeUnknown
	default:
		return outcomeOther
	}
}

// isNotExecuted reports whether a description is of an error that etcd, its client or gRPC
// returns before a request is executed.
func isNotExecuted(description string) bool {
	switch description {
	case rpctypes.ErrNoLeader.Error(), rpctypes.ErrLeaderChanged.Error(), rpctypes.ErrNotCapable.Error(),
		rpctypes.ErrTooManyRequests.Error(), rpctypes.ErrorDesc(rpctypes.ErrGPRCNotSupportedForLearner), raft.ErrProposalDropped.Error():
		return true
	}
	return strings.Contains(description, "transport: Error while dialing") || // connection refused, no route
		strings.Contains(description, "transport: authentication handshake failed")
}

func isDeadline(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || status.Code(err) == codes.DeadlineExceeded
}

// newServiceUnavailable returns a 503 with a Retry-After.
func newServiceUnavailable(message string) *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusServiceUnavailable, Reason: metav1.StatusReasonServiceUnavailable,
		Message: message, Details: &metav1.StatusDetails{RetryAfterSeconds: etcdRetrySeconds},
	}}
}
