package isolate

import (
	"container/heap"
	"fmt"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// usage is what a trace shows of the requests of service accounts.
type usage struct {
	users map[string]bool
	// requests are theirs, of all. unknown are requests that name no user.
	requests, all, unknown int
	// undated are requests of unknown duration.
	undated int
	leases  map[string]scope // by verb
	events  map[string]bool  // API groups of written events
	// running are the ends of requests that hold seats, by API server; peak are the most seats at
	// once of one API server.
	running map[string]*endings
	peak    int
}

func newUsage(accounts []source.Account) *usage {
	u := &usage{
		users: map[string]bool{}, leases: map[string]scope{}, events: map[string]bool{}, running: map[string]*endings{},
	}
	for _, account := range accounts {
		u.users[account.User()] = true
	}
	return u
}

// add counts a request. Requests come in the order of their arrivals.
func (u *usage) add(r *trace.Request) error {
	u.all++
	if r.User == "" {
		u.unknown++
	}
	if !u.users[r.User] {
		return nil
	}
	u.requests++
	switch {
	case isLease(r.Verb, r.APIGroup, r.Resource, r.Subresource) && r.Namespace != "":
		s := u.leases[r.Verb]
		s.add(r.Namespace)
		u.leases[r.Verb] = s
	case isEvent(r.Verb, r.APIGroup, r.Resource, r.Subresource):
		u.events[r.APIGroup] = true
	default:
		u.run(r)
	}
	return nil
}

// run counts the seats of a request of the new level.
func (u *usage) run(r *trace.Request) {
	held := r.Execution
	if held == nil && r.Verb != "watch" {
		held = r.Latency
	}
	switch {
	case r.Rejected != "":
		return // it held none
	case held == nil:
		u.undated++
		return
	}
	seats := 1
	if r.Seats != nil {
		seats = max(1, int(r.Seats.Initial))
	}
	if u.running[r.Replica] == nil {
		u.running[r.Replica] = &endings{}
	}
	e := u.running[r.Replica]
	for len(e.list) > 0 && !e.list[0].at.After(r.Arrival) {
		e.seats -= heap.Pop(e).(ending).seats
	}
	heap.Push(e, ending{r.Arrival.Add(held.Duration), seats})
	e.seats += seats
	u.peak = max(u.peak, e.seats)
}

// unknownUsers says how many requests name no user.
func (u *usage) unknownUsers() string {
	if u.unknown == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of its %d requests name no user: --users of kubectl apf record says whose they are", u.unknown, u.all)
}

func (u *usage) notes() []string {
	var notes []string
	if u.requests > 0 && u.unknown > 0 {
		notes = append(notes, fmt.Sprintf("%d of the %d requests of the trace name no user, and are left out; --users of kubectl apf record says whose they are.", u.unknown, u.all))
	}
	if u.undated > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d requests of the service accounts are left out of the peak: the trace does not say how long they held seats, as for watches.", u.undated, u.requests))
	}
	return notes
}

// ending is the end of a request, and the seats that it returns.
type ending struct {
	at    time.Time
	seats int
}

// endings is a heap of the requests under way, the first to end first.
type endings struct {
	list  []ending
	seats int
}

var _ heap.Interface = (*endings)(nil)

func (e *endings) Len() int           { return len(e.list) }
func (e *endings) Less(i, k int) bool { return e.list[i].at.Before(e.list[k].at) }
func (e *endings) Swap(i, k int)      { e.list[i], e.list[k] = e.list[k], e.list[i] }
func (e *endings) Push(x any)         { e.list = append(e.list, x.(ending)) }
func (e *endings) Pop() any {
	last := e.list[len(e.list)-1]
	e.list = e.list[:len(e.list)-1]
	return last
}
