package store

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/storage"
)

const (
	// EmbeddedRemedy says what to do if the embedded etcd is full.
	EmbeddedRemedy = "delete unneeded objects, or raise --etcd-quota-backend-bytes, and restart this server, which frees space then"
	// ExternalRemedy says what to do if another etcd is full.
	ExternalRemedy = "free space in etcd (compact, defragment, and disarm the alarm with etcdctl), or raise its --quota-backend-bytes"
)

// retrySeconds is the Retry-After of answers while etcd is not available. An election takes
// a second or two.
const retrySeconds = 1

// statuses turns errors of etcd into statuses. The library answers 500 to most of them, with
// etcd's own words:
//
//	what happened                                        read   write
//	etcd did not execute the request: no leader, a        503    503   a client may send it again
//	  change of the leader, too many requests, a                       after Retry-After
//	  proposal that was dropped, no connection
//	the deadline of the request passed                    504    504   a write may be stored, now
//	etcd did not confirm: its own timeout, a stop, a      503    504   or later: a client must read
//	  connection that broke                                            the object first
//	the object is larger than etcd's limit                  -    413
//	the database is at its quota                            -    500   with what to do
//	any other error                                       as it is
//
// Clients repeat a request by themselves if its answer has a Retry-After, so the 504 of a
// write has none. clientStore adds a resourceVersion from the future (504, 410 for a watch).
type statuses struct {
	// remedy says what to do if the database is at its quota.
	remedy string
}

// outcome is what is known about a request to etcd that failed.
type outcome int

const (
	// outcomeOther means that etcd answered, or that the error is not of etcd's availability.
	outcomeOther outcome = iota
	// outcomeNotExecuted means that etcd did not execute the request: no member could be
	// reached, or the member had no leader to pass the request on to.
	outcomeNotExecuted
	// outcomeUnknown means that etcd received the request, or may have, and did not confirm
	// it. It may execute it later.
	outcomeUnknown
)

// read returns the status of a read that failed.
func (statuses) read(err error) error {
	switch outcome := outcomeOf(err); {
	case outcome == outcomeOther:
		return err
	case isDeadline(err):
		return apierrors.NewTimeoutError(fmt.Sprintf("etcd did not respond before the deadline of the request: %v", err), retrySeconds)
	default:
		return newServiceUnavailable(fmt.Sprintf("etcd is not available: %v", err))
	}
}

// write returns the status of a write that failed.
func (s statuses) write(err error) error {
	switch outcome := outcomeOf(err); {
	case outcome == outcomeNotExecuted:
		return newServiceUnavailable(fmt.Sprintf("etcd is not available, nothing was written: %v", err))
	case outcome == outcomeUnknown:
		return apierrors.NewTimeoutError(fmt.Sprintf("etcd did not confirm the write, which may be stored: read the object before you send the request again: %v", err), 0)
	case errors.Is(err, rpctypes.ErrRequestTooLarge), isLarger(err, "received message larger than max"): // by more than 512 KiB
		return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("etcd stores at most 1.5 MiB in an object by default; make the object smaller, or raise --max-request-bytes of etcd, which helps up to 2 MiB, as much as this server sends: %v", err))
	case isLarger(err, "send message larger than max"):
		return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("this server sends at most 2 MiB to etcd, whatever etcd accepts; make the object smaller, or divide it: %v", err))
	case errors.Is(err, rpctypes.ErrNoSpace):
		return apierrors.NewInternalError(fmt.Errorf("etcd rejects writes because its database reached the quota; reads and deletions still work; %s: %w", s.remedy, err))
	default:
		return err
	}
}

// isLarger reports whether gRPC rejected a request for its size: in the client of etcd, whose limit is in its library, or
// in etcd.
func isLarger(err error, says string) bool {
	return status.Code(err) == codes.ResourceExhausted && strings.Contains(err.Error(), says)
}

// outcomeOf reads what etcd's client, or gRPC below it, returned. Errors of plug-ins
// for encryption are gRPC's too; the library wraps them as internal errors.
func outcomeOf(err error) outcome {
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
		rpctypes.ErrTooManyRequests.Error(), rpctypes.ErrorDesc(errIsLearner), errProposalDropped.Error():
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
		Message: message, Details: &metav1.StatusDetails{RetryAfterSeconds: retrySeconds},
	}}
}
