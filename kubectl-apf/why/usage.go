package why

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// flowKey names a flow.
type flowKey struct{ level, schema, distinguisher string }

// serverKey names a level on a server.
type serverKey struct{ level, server string }

// amount is a number of seats or seat-seconds, as far as it is known.
type amount struct{ least, most float64 }

func (a amount) plus(b amount) amount { return amount{a.least + b.least, a.most + b.most} }

func (a amount) times(factor float64) amount { return amount{a.least * factor, a.most * factor} }

// atMost returns what the amount is at most; nil if it is known exactly.
func (a amount) atMost() *float64 {
	if a.most <= a.least {
		return nil
	}
	return &a.most
}

// usage is what is known of some requests of one flow.
type usage struct {
	requests, executed, delayed int
	within                      int // that executed in the window of the level, which used is about
	rejected                    map[string]int
	troubled                    span // of rejections and delays
	waited, longest             time.Duration
	// told and untold count the executed requests whose wait is known, and others but for watches.
	told, untold int
	// remembered means that the figures are what a server remembers, which tells of rejected requests
	// alone, and of no waits. Then uses are known if usesTold is set.
	remembered, usesTold bool
	used                 amount // in seat-seconds
	users                map[string]int
	inferred             bool
	// unlimited are lists without a limit, fanned are writes of more than one seat.
	unlimited, fanned kindOfRequest
}

// kindOfRequest are the requests of a flow that one remedy concerns.
type kindOfRequest struct {
	requests  int
	seats     amount
	took      time.Duration
	used      amount // in seat-seconds
	resources map[string]int
}

func (k *kindOfRequest) add(resource string, width amount, took time.Duration, used amount) {
	k.requests++
	k.seats = k.seats.plus(width)
	k.took += took
	k.used = k.used.plus(used)
	count(&k.resources, resource, 1)
}

// join adds the requests of another flow.
func (k *kindOfRequest) join(other *kindOfRequest) {
	k.requests += other.requests
	k.seats, k.took, k.used = k.seats.plus(other.seats), k.took+other.took, k.used.plus(other.used)
	for resource, n := range other.resources {
		count(&k.resources, resource, n)
	}
}

// count adds n to a count.
func count(counts *map[string]int, name string, n int) {
	if *counts == nil {
		*counts = map[string]int{}
	}
	(*counts)[name] += n
}

func (a *usage) reject(reason string, n int, first, last time.Time) {
	count(&a.rejected, reason, n)
	a.troubled.include(first, last)
}

// knowsDelays reports whether some request is known to have waited, or all of them not to.
func (a *usage) knowsDelays() bool {
	return a.delayed > 0 || !a.remembered && a.untold == 0 && (a.told > 0 || a.executed == 0)
}

// knowsUses reports whether it is known what seats the requests used.
func (a *usage) knowsUses() bool { return !a.remembered || a.usesTold }

func (a *usage) delay(wait time.Duration, at time.Time) {
	if wait <= 0 {
		return
	}
	a.delayed++
	a.waited += wait
	a.longest = max(a.longest, wait)
	a.troubled.include(at, at)
}

// rejections returns the number of rejected requests.
func (a *usage) rejections() int {
	sum := 0
	for _, n := range a.rejected {
		sum += n
	}
	return sum
}

// demand returns the demand in seat-seconds, which is infinite if it is unlimited. mean is the mean use
// of the level's requests, 0 if it is unknown.
func (a *usage) demand(mean amount) amount {
	rejected := float64(a.rejections())
	switch {
	case rejected == 0:
		return a.used
	case a.within > 0:
		return a.used.times(1 + rejected/float64(a.within))
	case mean.least > 0:
		return a.used.plus(mean.times(rejected))
	default:
		return amount{math.Inf(1), math.Inf(1)}
	}
}

// most returns the names with the highest counts, at most n.
func most(counts map[string]int, n int) []User {
	users := make([]User, 0, len(counts))
	for name, requests := range counts {
		users = append(users, User{name, requests})
	}
	slices.SortFunc(users, func(a, b User) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Name, b.Name))
	})
	return users[:min(n, len(users))]
}
