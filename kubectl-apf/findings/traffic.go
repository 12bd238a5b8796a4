package findings

import (
	"fmt"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// Traffic collects what logs tell about clients. Create it with NewTraffic.
type Traffic struct {
	inForce *configuration.InForce
	byUID   map[string]string // levels by the UIDs of flow schemas
	levels  map[string]lint.LevelTraffic
	// overlooked is the number of requests whose user and level are unknown, placed of those whose level is the
	// configuration's.
	overlooked, placed, observed int
	logs                         []*clientLog
	lists                        []lint.FailedList
	// Deprecated are the audit events by the API version that they call.
	Deprecated logs.DeprecatedCalls
}

// NewTraffic returns a Traffic under a configuration, which places requests whose log names
// no level.
func NewTraffic(c configuration.Configuration, now time.Time) *Traffic {
	t := &Traffic{inForce: c.InForce(now), byUID: map[string]string{}, levels: map[string]lint.LevelTraffic{}}
	for _, schema := range c.FlowSchemas {
		if schema.UID != "" {
			t.byUID[string(schema.UID)] = schema.Spec.PriorityLevelConfiguration.Name
		}
	}
	return t
}

// Observe counts a request.
func (t *Traffic) Observe(r *trace.Request) {
	t.observed++
	name := r.PriorityLevel
	switch {
	case name == "" && r.User == "":
		t.overlooked++ // neither the log nor the configuration tells its level
		return
	case name == "":
		t.placed++
		a := r.Attributes()
		name = t.inForce.Classify(&a).Level
	}
	wait, known := r.Waited(aWait)
	level := t.levels[name]
	if r.Rejected != "" || wait >= aWait {
		level.HeldUp++
	}
	if r.Rejected != "" || known {
		level.Known++
	}
	t.levels[name] = level
}

// aWait is the shortest wait that counts: the wait in a line of -v=3 includes the filters around
// flow control.
const aWait = 20 * time.Millisecond

// Result returns what the logs tell. Observe must not be called afterwards.
func (t *Traffic) Result() *lint.Traffic {
	out := &lint.Traffic{Levels: t.levels, Limits: t.limits(), Lists: t.lists, Calls: t.Deprecated.All()}
	if t.observed > 0 {
		out.LeftOut = "Requests that the logs leave out are not counted."
	}
	return out
}

// Notes returns sentences about what the findings by logs rest on.
func (t *Traffic) Notes() []string {
	var notes []string
	if t.placed > 0 {
		notes = append(notes, fmt.Sprintf("Findings about clients: the logs name no flow schema for %d of %d requests; the configuration of now names it.", t.placed, t.observed))
	}
	if t.overlooked > 0 {
		notes = append(notes, fmt.Sprintf("Findings about clients: %d of %d requests are not judged, because their user and level are unknown.", t.overlooked, t.observed))
	}
	return notes
}
