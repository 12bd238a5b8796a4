package kubeapiserver

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/utils/clock"
)

// Check is one readiness check with its last result.
type Check struct {
	name string
	// optional is set if the server may become ready although the check fails.
	optional bool
	log      logr.Logger
	clock    clock.PassiveClock
	// The gauges tell more than readiness, which does not end.
	passing, lastSuccess prometheus.Gauge

	mu         sync.Mutex // guards what follows
	lastPassed time.Time  // zero: never
	failure    *failure   // of the last attempt; nil if it passed
	logged     string     // message of the failure that was logged last, empty if it has passed since
	// pendingSince is when the failures began that are pending, zero after another result.
	pendingSince time.Time
}

// state is what an attempt at a check found.
type state int

const (
	hasPassed state = iota
	hasFailed
	// isPending means that kube-apiserver has what this server needs, and this server is loading it.
	// That is no failure before it has taken failedInterval.
	isPending
)

var _ healthz.HealthChecker = &Check{}

// Name implements healthz.HealthChecker.
func (c *Check) Name() string { return c.name }

// Check implements healthz.HealthChecker. It returns the failure of the last
// attempt until the check has passed once, and never if the check is optional.
func (c *Check) Check(*http.Request) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.lastPassed.IsZero() || c.optional || c.failure == nil {
		return nil
	}
	return c.failure.err()
}

// Message is what the last attempt found missing, empty if nothing; for anyone to
// read. It does not depend on whether Check returns an error.
func (c *Check) Message() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure == nil {
		return ""
	}
	return c.failure.message
}

// record takes the result of an attempt, nil if it passed, and logs a change.
func (c *Check) record(result *failure) state {
	c.mu.Lock()
	defer c.mu.Unlock()
	previous, first := c.failure, c.lastPassed.IsZero()
	c.failure = result
	if result == nil {
		now := c.clock.Now()
		c.lastPassed, c.pendingSince, c.logged = now, time.Time{}, ""
		c.passing.Set(1)
		c.lastSuccess.Set(float64(now.UnixNano()) / float64(time.Second))
		if previous != nil {
			c.log.Info("Check passed")
		}
		return hasPassed
	}
	c.passing.Set(0)
	if c.isPending(result) {
		return isPending
	}
	if c.logged != result.message {
		c.logged = result.message
		values := []any{"reason", result.message, "ready", !first || c.optional}
		if !first {
			// Tells one outage from the next: the program logs equal errors once a minute.
			values = append(values, "lastPassed", c.lastPassed.UTC().Format(time.RFC3339Nano))
		}
		c.log.Error(result.cause, "Check failed", values...)
	}
	return hasFailed
}

// isPending notes a result that is not nil, and reports whether it is pending and not yet a failure.
func (c *Check) isPending(result *failure) bool {
	now := c.clock.Now()
	if !result.pending {
		c.pendingSince = time.Time{}
	} else if c.pendingSince.IsZero() {
		c.pendingSince = now
	}
	return result.pending && now.Sub(c.pendingSince) < failedInterval
}

// failure is why a check did not pass.
type failure struct {
	// message says what is missing and what to do, for anyone to read.
	message string
	// cause is the full error; it may be nil.
	cause error
	// pending is set if kube-apiserver has what is missing, and this server is loading it.
	pending bool
}

func (f *failure) err() error {
	if f.cause == nil {
		return errors.New(f.message)
	}
	return fmt.Errorf("%s (%w)", f.message, f.cause)
}

// explain says what the error of a request means, nil for none. Forbidden is the message for an answer
// of 403, and names the missing permission. If it is empty, each answer of a kube-apiserver that knows
// this server will do.
func explain(err error, forbidden string) *failure {
	var (
		invalid     x509.CertificateInvalidError
		unknownCA   x509.UnknownAuthorityError
		invalidName x509.HostnameError
		network     net.Error
		status      apierrors.APIStatus
	)
	var message string
	switch {
	case err == nil:
		return nil
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		message = "the certificate of kube-apiserver has expired or is not valid yet by this server's clock: correct the clocks, or renew the certificate"
	case errors.As(err, &unknownCA), errors.As(err, &invalid), errors.As(err, &invalidName):
		message = "the certificate of kube-apiserver is not trusted by this server's kubeconfig: compare the CA and the address in the kubeconfig with the certificate"
	case apierrors.IsUnauthorized(err):
		message = "kube-apiserver rejected this server's credentials (401): check that the token or client certificate is of this cluster and has not expired, and that the clocks agree"
	case apierrors.IsTooManyRequests(err):
		message = "kube-apiserver throttled this server's requests (429): apply artifacts/flowschemas to it"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout(), apierrors.IsTimeout(err):
		message = "kube-apiserver did not answer in time"
	case errors.As(err, &status) && status.Status().Code >= http.StatusInternalServerError:
		message = "kube-apiserver returned a server error"
	case !errors.As(err, &status):
		message = "kube-apiserver cannot be reached: check that it runs, and that the kubeconfig has its address"
	case forbidden == "":
		return nil
	case apierrors.IsForbidden(err):
		message = forbidden
	default:
		message = "kube-apiserver returned an unexpected answer"
	}
	return &failure{message: message, cause: err}
}
