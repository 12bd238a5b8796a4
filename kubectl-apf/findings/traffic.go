package findings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// Traffic collects what the requests of logs tell about clients. Create it with NewTraffic.
type Traffic struct {
	engine  *engine.Engine
	clients map[clientKey]*lint.Client
	// processes are those whose arrivals may show a limit; kept is how many arrivals they
	// have.
	processes map[processKey]*process
	kept      int
	addresses addresses
	timeline  timeline
	callbacks callbacks
	// overlooked is the number of requests that were not judged, because there were too many
	// clients or arrivals; placed is the number whose level is the configuration's.
	overlooked, placed, observed int
	since, until                 time.Time
	logs                         []*clientLog
}

const (
	maxClients  = 1 << 16
	maxArrivals = 1 << 22
	// maxOfOne is the largest number of arrivals of one process.
	maxOfOne = 1 << 17
)

type clientKey struct{ user, program, schema, level string }

// processKey names a process of a client, as far as a log tells processes apart.
type processKey struct{ user, agent, address, replica string }

type process struct {
	arrivals []arrival
	levels   map[string]int
	used     float64 // in seat-seconds
}

// NewTraffic returns a Traffic under a configuration, which places requests whose log names
// no level. The servers are those whose webhooks wait.
func NewTraffic(c configuration.Configuration, servers []lint.Server, now time.Time) *Traffic {
	t := &Traffic{
		clients: map[clientKey]*lint.Client{}, processes: map[processKey]*process{},
		addresses: newAddresses(), timeline: newTimeline(), callbacks: newCallbacks(servers),
	}
	t.engine, _ = c.Engine(now)
	return t
}

// Observe counts a request, which must not have arrived before requests that were observed. The
// address is its client's, or empty.
func (t *Traffic) Observe(r *trace.Request, address string) {
	t.observed++
	key := clientKey{user: r.User, program: program(r.Client), schema: r.FlowSchema, level: r.PriorityLevel}
	if key.level == "" {
		if r.User == "" {
			t.overlooked++ // neither the log nor the configuration tells its level
			return
		}
		key.schema, key.level = t.place(r)
	}
	if t.since.IsZero() {
		t.since = r.Arrival
	}
	t.until = r.Arrival
	u := useOf(r)
	t.timeline.add(r.Replica, key.level, &u)
	t.callbacks.add(r, key.level, &u)
	t.addresses.add(r.User, key.program, address)
	c := t.client(key)
	if c == nil {
		t.overlooked++
		return
	}
	count(c, r, &u)
	t.keep(r, address, key.level, &u)
}

func program(agent string) string {
	word, _, _ := strings.Cut(agent, "/")
	return word
}

func (t *Traffic) place(r *trace.Request) (schema, level string) {
	t.placed++
	request := t.engine.Begin()
	defer request.End()
	request.Attributes = r.Attributes()
	request.Classify()
	return request.Schema().Name, request.Level().Name
}

func (t *Traffic) client(key clientKey) *lint.Client {
	c := t.clients[key]
	if c == nil && len(t.clients) < maxClients {
		c = &lint.Client{User: key.user, Program: key.program, FlowSchema: key.schema, PriorityLevel: key.level}
		t.clients[key] = c
	}
	return c
}

// use is when a request held how many seats.
type use struct {
	start, end time.Time
	seats      int
	heldUp     bool
}

// useOf returns what is known of a request: what is unknown of its wait counts as none, of
// its execution as the rest of its latency, and of its seats as one.
func useOf(r *trace.Request) use {
	u := use{start: r.Arrival, seats: 1, heldUp: r.Rejected != ""}
	if r.Wait != nil {
		u.start = u.start.Add(r.Wait.Duration)
		u.heldUp = u.heldUp || r.Wait.Duration >= aWait
	}
	u.end = u.start
	switch {
	case r.Rejected != "":
		u.seats = 0
	case r.Execution != nil:
		u.end = u.start.Add(r.Execution.Duration)
	case r.Latency != nil && r.Verb != "watch":
		u.end = r.Arrival.Add(r.Latency.Duration)
	}
	if r.Seats != nil && r.Rejected == "" {
		u.seats = max(1, int(r.Seats.Initial))
	}
	return u
}

// aWait is the shortest wait that counts: the wait in a line of -v=3 includes the filters around
// flow control.
const aWait = 20 * time.Millisecond

func (u *use) seatSeconds() float64 { return float64(u.seats) * max(0, u.end.Sub(u.start).Seconds()) }

// isLease reports whether the request is for a lease.
func isLease(r *trace.Request) bool {
	return r.Resource == "leases" && r.APIGroup == "coordination.k8s.io"
}

func count(c *lint.Client, r *trace.Request, u *use) {
	c.Requests++
	if u.heldUp {
		c.HeldUp++
	}
	if !isLease(r) {
		c.SeatSeconds += u.seatSeconds()
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

// keep keeps the arrival of a request that a limit of the client may delay. Watches have
// none, leases and events often one of their own.
func (t *Traffic) keep(r *trace.Request, address, level string, u *use) {
	if r.Verb == "watch" || isLease(r) || r.Resource == "events" {
		return
	}
	key := processKey{r.User, r.Client, address, r.Replica}
	p := t.processes[key]
	if p == nil {
		p = &process{levels: map[string]int{}}
		t.processes[key] = p
	}
	if t.kept == maxArrivals || len(p.arrivals) == maxOfOne {
		t.overlooked++
		return
	}
	t.kept++
	end := u.end
	if r.Latency != nil {
		end = r.Arrival.Add(r.Latency.Duration)
	}
	p.arrivals = append(p.arrivals, arrival{r.Arrival, end})
	p.levels[level]++
	p.used += u.seatSeconds()
}

// Result returns what the logs tell. Observe must not be called afterwards.
func (t *Traffic) Result() *lint.Traffic {
	t.timeline.finish()
	out := &lint.Traffic{Levels: t.timeline.levels(), Limits: t.limits()}
	for _, key := range slices.SortedFunc(maps.Keys(t.clients), compareClients) {
		c := t.clients[key]
		c.OnNodes, c.Nodes = t.addresses.nodesOf(key.user, key.program)
		out.Clients = append(out.Clients, *c)
	}
	out.Callbacks = t.callbacks.result(t.until.Sub(t.since))
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
