// Package configuration holds the flow-control objects that a server enforces together, and
// applies them to a separate engine.
package configuration

import (
	"fmt"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/configsync"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// DefaultTotal is the number of seats of a kube-apiserver without flags:
// --max-requests-inflight=400 and --max-mutating-requests-inflight=200.
const DefaultTotal = 600

// Configuration is a set of flow-control objects.
type Configuration struct {
	FlowSchemas    []*flowcontrolv1.FlowSchema
	PriorityLevels []*flowcontrolv1.PriorityLevelConfiguration
	// Release is the release of the API server that enforces them.
	Release Release
	// Own reports whether flowcontrol-apiserver enforces them, not kube-apiserver.
	Own bool
	// Total is the number of seats of one replica of the API server; 0 if unknown.
	Total int
	// Tenants is what the API server was started with; empty as by default.
	Tenants rules.Tenants
	// Assumed reports that no object was read: all are built in, although none were asked
	// for.
	Assumed bool
	// Notes are sentences about what was inferred instead of read.
	Notes []string
}

// Overlay returns the configuration after the objects were applied to it. An object
// replaces the one of its kind and name, and otherwise is added.
func (c Configuration) Overlay(schemas []*flowcontrolv1.FlowSchema, levels []*flowcontrolv1.PriorityLevelConfiguration) Configuration {
	c.FlowSchemas = overlay(c.FlowSchemas, schemas)
	c.PriorityLevels = overlay(c.PriorityLevels, levels)
	return c
}

func overlay[O interface{ GetName() string }](below, above []O) []O {
	out := make([]O, 0, len(below)+len(above))
	place := make(map[string]int, len(below)+len(above))
	for _, objects := range [][]O{below, above} {
		for _, object := range objects {
			at, exists := place[object.GetName()]
			if exists {
				out[at] = object
				continue
			}
			place[object.GetName()] = len(out)
			out = append(out, object)
		}
	}
	return out
}

// Engine returns an engine that enforces the configuration as a server does, in
// virtual time from now on, and the objects that are invalid. Its total is
// DefaultTotal if the configuration's is unknown.
func (c Configuration) Engine(now time.Time) (*engine.Engine, []engine.Problem) {
	total := c.Total
	if total <= 0 {
		total = DefaultTotal
	}
	e := engine.New(engine.Options{Clock: clock.NewFake(now), Total: total, Tenants: c.Tenants})
	configuration, problems := configsync.NewTranslator().Translate(c.PriorityLevels, c.FlowSchemas)
	return e, append(problems, e.Apply(configuration)...)
}

// Estimator returns what estimates the seats of lists, and its name: flowcontrol-apiserver, or Kubernetes
// and a release. known reports whether the release is; otherwise it is the newest one.
func (c Configuration) Estimator() (estimator estimate.Estimator, name string, known bool) {
	if c.Own {
		return estimate.Own(), "flowcontrol-apiserver", true
	}
	minor, known := c.Release.Minor()
	return estimate.ForKubernetes(minor), fmt.Sprintf("Kubernetes 1.%d", minor), known
}
