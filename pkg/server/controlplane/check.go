package controlplane

import (
	"net/http"
	"sync"

	"github.com/go-logr/logr"
	"k8s.io/apiserver/pkg/server/healthz"
)

// Check remembers what came of asking one question.
type Check struct {
	name string
	// optional checks do not keep the server from being ready.
	optional bool
	log      logr.Logger

	mu      sync.Mutex // guards what follows
	passed  bool       // once at least
	trouble *Trouble   // that of the last time; nil: none
}

var _ healthz.HealthChecker = &Check{}

func newCheck(name string, optional bool, log logr.Logger) *Check {
	return &Check{name: name, optional: optional, log: log.WithValues("check", name), trouble: &Trouble{Text: "kube-apiserver has not answered yet"}}
}

// Name implements healthz.HealthChecker.
func (c *Check) Name() string { return c.name }

// Check implements healthz.HealthChecker: it fails until it was passed once.
func (c *Check) Check(*http.Request) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.passed || c.optional || c.trouble == nil {
		return nil
	}
	return c.trouble.err()
}

// text is what the last look found missing, whether or not the check fails for it;
// empty: nothing.
func (c *Check) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trouble == nil {
		return ""
	}
	return c.trouble.Text
}

// note takes what a look found and logs what is new: a trouble that begins,
// another one, or its end.
func (c *Check) note(found *Trouble) {
	c.mu.Lock()
	defer c.mu.Unlock()
	last, first := c.trouble, !c.passed
	c.trouble = found
	c.passed = c.passed || found == nil
	switch {
	case found == nil && last != nil:
		c.log.Info("Nothing is missing any more")
	case found != nil && (last == nil || last.Text != found.Text):
		c.log.Error(found.Cause, "Something is missing", "what", found.Text, "ready", !first || c.optional)
	}
}
