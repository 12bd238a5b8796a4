package search

import "math"

// share is what one asks for of a fluid.
type share struct {
	weight, demand float64
}

// tiny is what rounding may add up to, in seats and seat-seconds.
const tiny = 1e-9

// level returns what a unit of weight gets of a fluid of the given capacity by max-min: each gets the
// least of their demand and their weight times the level. It is infinite if all get what they ask for.
func level(capacity float64, shares []share) float64 {
	weight := 0.0
	for i := range shares {
		weight += shares[i].weight
	}
	for level := capacity / weight; ; {
		left, unsatisfied := capacity, 0.0
		for i := range shares {
			if s := &shares[i]; s.demand <= s.weight*level+tiny {
				left -= s.demand
			} else {
				unsatisfied += s.weight
			}
		}
		if unsatisfied == 0 {
			return math.Inf(1)
		}
		next := left / unsatisfied
		if next <= level*(1+tiny) {
			return level
		}
		level = next
	}
}

// fluid is what the flows that are active would get of a level, by max-min among tenants and then
// among the flows of each.
type fluid struct {
	tenants []*group // active
	shares  []share
	inner   []share
	spare   float64 // per unit of weight of a tenant that is not active, in seats
}

// group is a tenant.
type group struct {
	name     string
	only     *account // its first flow
	many     bool     // it had more than one
	arrivals int
	weight   float64
	flows    []*account // active
	waiting  int        // requests
	ends     float64    // sum of width times end of what executes
	surprise float64    // seat-seconds of requests beyond the average of their flow
	usage
	presence
	spare float64 // per unit of weight of a flow that is not active, in seats
}

// presence says when a tenant or a flow was active the last time.
type presence struct {
	place        int     // in the list of the active ones, -1 if it is not active
	since, until float64 // seconds
	most         float64 // largest work so far of a request that executed or was first
}

// begin begins a time. A client that pauses for no time continues.
func (p *presence) begin(place int, now float64) {
	p.place = place
	if p.until < now || now == 0 {
		p.since = now
	}
}

// wasActive reports whether the last time includes a time.
func (p *presence) wasActive(at float64) bool {
	return p.since <= at && (p.place >= 0 || p.until > at)
}

// usage is what somebody got and was owed.
type usage struct {
	demand    float64 // seats that requests ask for
	backlog   float64 // seat-seconds that they still need
	greedy    bool    // there are more requests as soon as these have ended
	inUse     float64 // seats
	fair      float64 // seats of the fluid
	would     float64 // seats of the fluid if they asked for more
	owed, got float64 // seat-seconds while active
	lag       float64 // seat-seconds owed while requests waited; negative is a debt
	marks     []mark
}

// mark is what somebody had been owed at a time, and the lag then.
type mark struct{ at, owed, lag float64 }

// restart forgets all marks: what is promised is promised while a request waits.
func (u *usage) restart(now float64) {
	u.marks = append(u.marks[:0], mark{at: now, owed: u.owed, lag: u.lag})
}

// part returns the part of what was owed since a mark that somebody got. What was owed or owing before
// does not count.
func (u *usage) part(since mark) (owed, part float64) {
	owed = u.owed - since.owed
	return owed, 1 - max(0, u.lag-max(0, since.lag))/max(owed, tiny)
}

// divide says what everybody gets of a number of seats.
func (f *fluid) divide(seats float64) {
	if seats == 0 {
		f.stop()
		return
	}
	f.shares = f.shares[:0]
	weight, demand := 0.0, 0.0
	for _, g := range f.tenants {
		f.shares = append(f.shares, share{g.weight, g.demand})
		weight, demand = weight+g.weight, demand+g.demand
	}
	per := level(seats, f.shares)
	f.spare = min(per, max(seats-demand, seats/(weight+1)))
	if !math.IsInf(per, 1) {
		f.spare = per
	}
	for _, g := range f.tenants {
		g.fair = min(g.demand, g.weight*per)
		g.would = max(g.fair, g.weight*f.spare)
		g.divide(f)
	}
}

// stop gives nobody anything.
func (f *fluid) stop() {
	f.spare = 0
	for _, g := range f.tenants {
		g.fair, g.spare = 0, 0
		for _, a := range g.flows {
			a.fair = 0
		}
	}
}

// divide says what each flow of a tenant gets.
func (g *group) divide(f *fluid) {
	if len(g.flows) == 1 {
		one := g.flows[0]
		one.fair, one.would, g.spare = g.fair, g.would, g.would/2
		return
	}
	f.inner = f.inner[:0]
	weight := 0.0
	for _, a := range g.flows {
		f.inner = append(f.inner, share{a.weight, a.demand})
		weight += a.weight
	}
	per := level(g.fair, f.inner)
	g.spare = per
	if math.IsInf(per, 1) {
		g.spare = max(g.would-g.demand, g.would/(weight+1))
	}
	for _, a := range g.flows {
		a.fair = min(a.demand, a.weight*per)
		a.would = max(a.fair, a.weight*g.spare)
	}
}

// serve counts d seconds. Whoever has got more than was owed pays the debt while others have what they
// ask for. Nobody is owed more than the work that they ask for, unless they always ask.
func (u *usage) serve(d, sure float64, waits bool) {
	u.got += u.inUse * d
	u.backlog -= u.inUse * d
	if u.fair >= u.demand-tiny && u.lag < 0 {
		u.owed += u.fair * d
		u.lag = min(0, u.lag+(u.would-u.inUse)*d)
		return
	}
	before := u.lag
	if missing := u.fair - u.inUse; missing > 0 {
		u.lag += max(0, u.fair*sure-u.inUse) * d
	} else {
		u.lag += missing * d
	}
	if !u.greedy || !waits {
		u.lag = min(u.lag, max(u.backlog, 0))
	}
	u.owed += u.lag - before + u.inUse*d
}
