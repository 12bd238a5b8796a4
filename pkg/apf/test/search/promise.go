package search

import (
	"fmt"
	"math"
	"strings"
)

// Promise is what a level owes.
type Promise uint8

// The promises, each with what keeps it.
const (
	Rate      Promise = iota // Measures.Rate is at least leastRate
	Lag                      // Measures.Lag is at most mostLag
	Newcomer                 // Measures.Newcomer is at most mostUnits
	Wide                     // Measures.Wide is at most mostUnits
	Tenant                   // Measures.Tenant is at least leastRate
	FullLevel                // Measures.Displaced is 0
	Patience                 // Measures.Lost is 0
	Deadlines                // Measures.Useless is at most mostUseless
	Work                     // Measures.Idle is at most mostIdle
	Sanity                   // Measures.Faults is 0
	promises
)

const (
	leastRate   = 0.7
	mostLag     = 6
	mostUnits   = 2
	mostUseless = 0.02
	mostIdle    = 0.001
)

// String returns the name.
func (p Promise) String() string {
	return [promises]string{"rate", "lag", "newcomer", "wide", "tenant", "full level", "patience", "deadlines", "work", "faults"}[p]
}

// All returns all promises.
func All() []Promise {
	all := make([]Promise, promises)
	for i := range all {
		all[i] = Promise(i)
	}
	return all
}

// Measures say how far a History keeps the promises. Better is a larger Rate and Tenant, and less of all
// others.
type Measures struct {
	// Rate is the least part that a flow got of what it was owed, in any window where it was owed
	// enoughWork times the largest work. 1 if there is none.
	Rate float64
	// Lag is the most that a flow was owed while requests of it waited, in
	// units of the largest work and of what it may be owed while the longest request executes.
	Lag float64
	// Newcomer is the longest wait of a request of one seat that had no other of its flow before it,
	// nor a debt, in units of (X + sum of M(j)) / (C - w + 1). Wide is the same for wider ones, with
	// their width times M(j). Both are measured while all weights are 1. X includes by how much requests
	// that started during the wait exceeded the average of their flow, or of first requests: no schedule that
	// does not know durations avoids that.
	Newcomer, Wide float64
	// Tenant is Rate for tenants, if one has several flows.
	Tenant float64
	// Displaced is how many requests of flows below their fair rate were rejected, at their arrival or
	// later, while two requests of another waited.
	Displaced int
	// Lost is how many more clients that are more patient than others of their flow a queue in the order of arrival
	// would have served.
	Lost int
	// Useless is the part of the executed work that started after a wait while others waited, and whose clients left
	// before its end, at a deadline that they had announced; of the work that was executed or refused because of one.
	// It counts requests that take as long as all of their flow, and not the first: what others need, no schedule
	// that does not know durations can tell.
	Useless float64
	// Idle is the part of the seats' time when seats were free while requests waited that all fitted.
	// Kept is the same where only some of them fitted.
	Idle, Kept float64
	// Faults is how often the level did what none may.
	Faults int

	// Worst says who a measure is about and when.
	Worst map[Promise]string
}

// Loss returns how badly a promise is kept. Up to 1 it is kept.
func (m Measures) Loss(p Promise) float64 {
	switch p {
	case Rate:
		return (1 - m.Rate) / (1 - leastRate)
	case Lag:
		return m.Lag / mostLag
	case Newcomer:
		return m.Newcomer / mostUnits
	case Wide:
		return m.Wide / mostUnits
	case Tenant:
		return (1 - m.Tenant) / (1 - leastRate)
	case FullLevel:
		return several(m.Displaced)
	case Patience:
		return several(m.Lost)
	case Deadlines:
		return m.Useless / mostUseless
	case Work:
		return m.Idle / mostIdle
	default:
		return several(m.Faults)
	}
}

// several returns more than 1 for what may never be.
func several(n int) float64 {
	if n == 0 {
		return 0
	}
	return 1 + math.Log2(1+float64(n))
}

// String returns the measures in one line.
func (m Measures) String() string {
	return fmt.Sprintf("b %.2f, lag %.1f M, newcomer %.2f, wide %.2f, tenant %.2f, displaced %d, lost %d, useless %.3f, idle %.3f, kept %.3f, faults %d",
		m.Rate, m.Lag, m.Newcomer, m.Wide, m.Tenant, m.Displaced, m.Lost, m.Useless, m.Idle, m.Kept, m.Faults)
}

// Broken returns what promises are broken, with the victims.
func (m Measures) Broken() string {
	var out []string
	for _, p := range All() {
		if loss := m.Loss(p); loss > 1 {
			out = append(out, fmt.Sprintf("%s %.1f (%s)", p, loss, m.Worst[p]))
		}
	}
	return strings.Join(out, "; ")
}
