package findings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// Traffic collects what the requests of logs tell about clients. Create it with NewTraffic.
type Traffic struct {
	inForce *configuration.InForce
	byUID   map[string]string // levels by the UIDs of flow schemas
	clients map[clientKey]*lint.Client
	levels  map[string]lint.LevelTraffic
	// overlooked is the number of requests that were not judged, because there were too many
	// clients; placed is the number whose level is the configuration's.
	overlooked, placed, observed int
	logs                         []*clientLog
	lists                        []lint.FailedList
	leases                       []*lateLease
	// Deprecated are the audit events by the API version that they call.
	Deprecated logs.DeprecatedCalls
}

const maxClients = 1 << 16

type clientKey struct{ user, program, schema, level string }

// NewTraffic returns a Traffic under a configuration, which places requests whose log names
// no level.
func NewTraffic(c configuration.Configuration) *Traffic {
	t := &Traffic{inForce: c.InForce(time.Time{}), byUID: map[string]string{}, clients: map[clientKey]*lint.Client{}, levels: map[string]lint.LevelTraffic{}}
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
	key := clientKey{user: r.User, program: program(r.Client), schema: r.FlowSchema, level: r.PriorityLevel}
	if key.level == "" {
		if r.User == "" {
			t.overlooked++ // neither the log nor the configuration tells its level
			return
		}
		key.schema, key.level = t.place(r)
	}
	u := useOf(r)
	level := t.levels[key.level]
	level.SeatSeconds += u.seatSeconds
	if u.heldUp {
		level.HeldUp++
	}
	if u.known {
		level.Known++
	}
	t.levels[key.level] = level
	if c := t.client(key); c != nil {
		count(c, r, u)
	} else {
		t.overlooked++
	}
}

func program(agent string) string {
	word, _, _ := strings.Cut(agent, "/")
	return word
}

func (t *Traffic) place(r *trace.Request) (schema, level string) {
	t.placed++
	a := r.Attributes()
	of := t.inForce.Classify(&a)
	return of.Name, of.Level
}

func (t *Traffic) client(key clientKey) *lint.Client {
	c := t.clients[key]
	if c == nil && len(t.clients) < maxClients {
		c = &lint.Client{User: key.user, Program: key.program, FlowSchema: key.schema, PriorityLevel: key.level}
		t.clients[key] = c
	}
	return c
}

// aWait is the shortest wait that counts: the wait in a line of -v=3 includes the filters around
// flow control.
const aWait = 20 * time.Millisecond

// use is what a request used, and whether it was held up, if that is known.
type use struct {
	seatSeconds   float64
	heldUp, known bool
}

// useOf returns what is known of a request: its execution, otherwise its latency without its wait, in
// its seats, otherwise in one.
func useOf(r *trace.Request) use {
	if r.Rejected != "" {
		return use{heldUp: true, known: true}
	}
	var u use
	var took time.Duration
	wait, known := r.Waited(aWait)
	u.heldUp, u.known = wait >= aWait, known
	if r.Latency != nil && r.Verb != "watch" {
		took = max(0, r.Latency.Duration-wait)
	}
	if r.Execution != nil {
		took = r.Execution.Duration
	}
	u.seatSeconds = took.Seconds()
	if r.Seats != nil {
		u.seatSeconds *= max(1, float64(r.Seats.Initial))
	}
	return u
}

// isLease reports whether the request is for a lease.
func isLease(r *trace.Request) bool {
	return r.Resource == "leases" && r.APIGroup == "coordination.k8s.io"
}

func count(c *lint.Client, r *trace.Request, u use) {
	c.Requests++
	if u.heldUp {
		c.HeldUp++
	}
	if !isLease(r) {
		c.SeatSeconds += u.seatSeconds
		return
	}
	switch r.Verb {
	case "create", "update", "patch":
		c.Leases++
		if u.heldUp {
			c.HeldUpLeases++
		}
	}
}

// Result returns what the logs tell. Observe must not be called afterwards.
func (t *Traffic) Result() *lint.Traffic {
	out := &lint.Traffic{Levels: t.levels, Limits: t.limits(), Lists: t.lists, Calls: t.Deprecated.All(), Leases: t.lateLeases()}
	for _, key := range slices.SortedFunc(maps.Keys(t.clients), compareClients) {
		out.Clients = append(out.Clients, *t.clients[key])
	}
	if t.observed > 0 {
		out.LeftOut = "Requests that the logs leave out are not counted."
	}
	return out
}

func compareClients(a, b clientKey) int {
	return cmp.Or(cmp.Compare(a.user, b.user), cmp.Compare(a.program, b.program), cmp.Compare(a.level, b.level), cmp.Compare(a.schema, b.schema))
}

// Notes returns sentences about what the findings by logs rest on.
func (t *Traffic) Notes() []string {
	var notes []string
	if t.placed > 0 {
		notes = append(notes, fmt.Sprintf("Findings about clients: the logs name no flow schema for %d of %d requests; the configuration of now names it.", t.placed, t.observed))
	}
	if t.overlooked > 0 {
		notes = append(notes, fmt.Sprintf("Findings about clients: %d of %d requests are not judged, because their user and level are unknown, or because there are too many clients.", t.overlooked, t.observed))
	}
	return notes
}
