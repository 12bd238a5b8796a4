package controlplane

import (
	"net/http"
	"sync"

	"github.com/go-logr/logr"
	"k8s.io/apiserver/pkg/server/healthz"
)

// Check is one readiness check with its last result.
type Check struct {
	name string
	// optional is set if the server may become ready although the check fails.
	optional bool
	log      logr.Logger

	mu      sync.Mutex // guards what follows
	passed  bool       // at least once
	failure *failure   // of the last attempt; nil if it passed
}

var _ healthz.HealthChecker = &Check{}

func newCheck(name string, optional bool, log logr.Logger) *Check {
	return &Check{name: name, optional: optional, log: log.WithValues("check", name), failure: &failure{message: "kube-apiserver has not answered yet"}}
}

// Name implements healthz.HealthChecker.
func (c *Check) Name() string { return c.name }

// Check implements healthz.HealthChecker. It returns the failure of the last
// attempt until the check has passed once, and never if the check is optional.
func (c *Check) Check(*http.Request) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.passed || c.optional || c.failure == nil {
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
func (c *Check) record(result *failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	previous, first := c.failure, !c.passed
	c.failure = result
	c.passed = c.passed || result == nil
	switch {
	case result == nil && previous != nil:
		c.log.Info("Check passed")
	case result != nil && (previous == nil || previous.message != result.message):
		c.log.Error(result.cause, "Check failed", "reason", result.message, "ready", !first || c.optional)
	}
}
