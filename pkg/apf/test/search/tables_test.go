package search

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

const (
	ms = time.Millisecond
	s  = time.Second
)

// ordinary is a level as the contract measures it.
var ordinary = Config{Seats: 20, Queues: 64, HandSize: 6, QueueLength: 50}

var (
	established = Client{Flow: "established", Names: 1, Threads: 5, Takes: 100 * ms, From: 5 * s}
	mouse       = Client{Flow: "mouse", Names: 1, Takes: 10 * ms, Think: 190 * ms, From: 5 * s}
)

type row struct {
	name     string
	scenario Scenario
}

// beside returns a scenario of two minutes: clients disturb an established flow and a mouse.
func beside(name string, clients ...Client) row {
	return row{name, Scenario{Config: ordinary, Seed: 1, Lasts: 125 * s, Clients: append([]Client{established, mouse}, clients...)}}
}

// firstTable are the rows of what is to be beaten.
var firstTable = []row{
	beside("21 clients, a new name for each request", Client{Flow: "fresh", Names: Fresh, Threads: 21, Takes: 100 * ms}),
	beside("30 clients, a new name for each request", Client{Flow: "fresh", Names: Fresh, Threads: 30, Takes: 100 * ms}),
	beside("30 clients, 30 names", Client{Flow: "named", Names: PerThread, Threads: 30, Takes: 100 * ms}),
	beside("30 clients, 300 names in turn", Client{Flow: "turn", Names: 300, Threads: 30, Takes: 100 * ms}),
	beside("30 clients, 3,000 names in turn", Client{Flow: "turn", Names: 3000, Threads: 30, Takes: 100 * ms}),
	beside("300 nodes, each now and then, 105 % in all", Client{Flow: "node", Names: PerThread, Threads: 300, Takes: 100 * ms, Think: 1330 * ms, Jitter: .1}),
	beside("a list of five seats each second beside 21 fresh names",
		Client{Flow: "fresh", Names: Fresh, Threads: 21, Takes: 100 * ms},
		Client{Flow: "lister", Names: 1, Takes: 200 * ms, Think: s, Width: 5, From: 5 * s}),
	{"a namespace beside one user who makes up namespaces", Scenario{Config: ordinary, Seed: 1, Lasts: 61 * s, Clients: []Client{
		{Flow: "production", Names: 1, Threads: 4, Takes: 20 * ms, From: s},
		{Flow: "mouse", Names: 1, Takes: 10 * ms, Think: 190 * ms, From: 5 * s},
		{Flow: "made-up", Names: Fresh, Threads: 40, Takes: 10 * ms}}}},
}

// secondTable are the rows of what a first search found.
var secondTable = []row{
	beside("fresh names, deadline 1.8 s, requests of 1.3 s", Client{Flow: "fresh", Names: Fresh, Threads: 40, Takes: 1300 * ms, Deadline: 1800 * ms}),
	beside("40 clients with fresh names, requests of 1 s, beside six flows of 4 ms",
		Client{Flow: "fresh", Names: Fresh, Threads: 40, Takes: s},
		Client{Flow: "short", Names: PerThread, Threads: 6, Takes: 4 * ms}),
	beside("170 fixed names, 1.3 s each 10.8 s", Client{Flow: "fixed", Names: PerThread, Threads: 170, Takes: 1300 * ms, Every: 10800 * ms, Jitter: .1, Stagger: 63 * ms}),
	beside("20 flows with bursts of 60 requests of 5 s", Client{Flow: "burst", Names: PerThread, PerName: 60, Threads: 1200, Takes: 5 * s, Every: 40 * s, Patience: 60 * s}),
	beside("a full level of bursts of lists of 19 s",
		Client{Flow: "lists", Names: PerThread, PerName: 300, Threads: 3600, Takes: 19 * s, Width: 5, Every: 60 * s, Patience: 60 * s},
		Client{Flow: "below", Names: 1, Takes: 100 * ms, Every: 10 * s, From: 20 * s}),
	beside("a patient client among 35 of its flow", Client{Flow: "flow", Names: 1, Threads: 35, Takes: 5 * s, Patience: 11800 * ms},
		Client{Flow: "flow", Names: 1, Threads: 1, Takes: 5 * s, Patience: 60 * s}),
}

// outcome is what the clients of a name got.
type outcome struct {
	served, failed int
	worst          time.Duration
}

func (o outcome) String() string {
	text := fmt.Sprint(o.served)
	if o.failed > 0 {
		text += fmt.Sprintf(", %d failed", o.failed)
	}
	return text + fmt.Sprintf(" (%v)", o.worst.Round(ms))
}

// outcomes returns what each client of a scenario got.
func outcomes(h *History) []outcome {
	out := make([]outcome, len(h.Scenario.Clients))
	for i := range h.Events {
		e := &h.Events[i]
		if e.Request == nil {
			continue
		}
		o := &out[e.Request.client]
		switch e.Kind {
		case Started:
			o.worst = max(o.worst, e.At-e.Request.Arrived)
			o.served++
		case Left, Rejected, Displaced:
			o.worst = max(o.worst, e.At-e.Request.Arrived)
			o.failed++
		}
	}
	return out
}

// library is set where the library's engine is built in.
var library Discipline

// disciplines returns what is compared: with the flag -all also what takes long, or keeps no promise.
func disciplines() []Discipline {
	out := []Discipline{Engine, Reference}
	if *all {
		out = append(out, stopping)
		if library.New != nil {
			out = append(out, library)
		}
	}
	return out
}

// TestTables prints the rows of both tables, and checks that those who keep the promises keep them in each.
func TestTables(t *testing.T) {
	for i, r := range slices.Concat(firstTable, secondTable) {
		t.Run(r.name, func(t *testing.T) {
			for _, d := range disciplines() {
				h := Run(&r.scenario, d)
				m := Judge(h)
				o := outcomes(h)
				t.Logf("| %s | %s | established %v; mouse %v; last %v | b %.2f | newcomer %.2f units | %s |", r.name, d.Name, o[0], o[1], o[len(o)-1], m.Rate, m.Newcomer, m.Broken())
				if !slices.Contains(keepers, d.Name) {
					continue
				}
				assert.Empty(t, m.Broken(), d.Name)
				if i < len(firstTable) {
					assert.Zero(t, o[0].failed+o[1].failed, d.Name)
				}
			}
		})
	}
}

// keepers are the disciplines that must keep the promises.
var keepers = []string{"reference"}
