package search

import (
	"fmt"
	"time"
)

// enoughWork is how many times the largest work a flow must be owed for a part of it to count.
const enoughWork = 20

// windows is into how many parts a History is cut for Rate.
const windows = 24

// averaged is the number of requests that a level must remember.
const averaged = 32

// account is what is known about a flow.
type account struct {
	name               string
	tenant             *group
	weight             float64
	waiting, executing int
	usage
	presence
	requests []*Request
	works    average         // of ended requests
	recent   []time.Duration // of the last of these
	doubted  bool            // its first request with a deadline was rejected
	first    *Request        // waits, and is judged while there is no debt
	peak     float64         // seats that it would have got at most while it was active
	left     bool            // a client left while it waited
	debtor   bool            // in judge.debtors
}

// average is a running mean.
type average struct{ n, mean float64 }

func (a *average) add(x float64) {
	a.n++
	a.mean += (x - a.mean) / a.n
}

// judge reads a History.
type judge struct {
	Measures
	fluid
	h                 *History
	seats             float64
	now               float64
	changed           bool // what the fluid divides has changed
	groups            map[string]*group
	flows             map[string]*account
	all               []*account
	list, several     []*group // tenants, and the ones with several flows
	debtors           []*account
	paid              []*Request // whose flows may have just paid their debts
	widths            []int      // requests present by width
	waits             []int      // waiting requests by width
	waiting           int
	inUse             int
	freed             float64 // when seats became free last
	two               int     // flows with two waiting requests
	twoTenants        int     // tenants with two
	ends              float64 // sum of width times end of what executes
	sum               float64 // of M(j) of active flows
	capacity          float64 // seat-seconds so far
	most              float64 // largest work
	longest           float64 // largest duration, in seconds
	executed, useless float64
	refused           float64 // work of requests that were rejected since they would have missed their deadline
	firsts            average // works of the first requests of flows
	surprise          float64 // seat-seconds of requests beyond the average of their flow
	mark              int
	weighted          bool // somebody has a weight other than 1
	grouped           bool // a tenant has several flows
	laggard           *account
	laggedAt          float64
	step              float64
}

// Judge measures a History.
func Judge(h *History) Measures {
	j := newJudge(h)
	j.read()
	return j.Measures
}

func (j *judge) read() {
	for i := range j.h.Events {
		j.advance(j.h.Events[i].At.Seconds())
		j.apply(&j.h.Events[i])
	}
	j.advance(j.h.Scenario.Lasts.Seconds())
	j.end()
}

// overall returns the seat-seconds that a flow got, and that it was owed while it was active.
func overall(h *History, flow string) (got, owed float64) {
	j := newJudge(h)
	j.read()
	if a := j.flows[flow]; a != nil {
		return a.got, a.owed
	}
	return 0, 0
}

func newJudge(h *History) *judge {
	return &judge{
		h: h, Measures: Measures{Rate: 1, Tenant: 1, Worst: map[Promise]string{}, Faults: len(h.Faults)},
		seats: float64(h.Scenario.Seats), flows: map[string]*account{}, groups: map[string]*group{},
		widths: make([]int, 1), waits: make([]int, 1), step: h.Scenario.Lasts.Seconds() / windows,
	}
}

// advance lets the fluid flow until a time.
func (j *judge) advance(to float64) {
	for j.now < to {
		next := to
		if edge := float64(j.mark+1) * j.step; edge <= to {
			next = edge
			j.flowTo(next)
			j.mark++
			j.markAll()
			continue
		}
		j.flowTo(next)
	}
}

func (j *judge) flowTo(to float64) {
	d := to - j.now
	if d <= 0 {
		j.now = to
		return
	}
	if j.changed {
		j.changed = false
		// Seats that are free while requests wait are no part of the fluid: Idle and Kept tell of them.
		seats := j.seats
		if j.waiting > 0 {
			seats = min(seats, float64(j.inUse))
		}
		j.divide(seats)
	}
	j.serve(d)
	j.now = to
	j.capacity += j.seats * d
	for _, r := range j.paid {
		j.begin(r, r.account)
		j.addLags(r)
	}
	j.paid = j.paid[:0]
	j.payDebts(d)
	if free := int(j.seats) - j.inUse; j.waiting > 0 && free > 0 {
		switch least, largest := bounds(j.waits); {
		case largest <= free:
			j.Idle += float64(free) * d
		case least <= free:
			j.Kept += float64(free) * d
		}
	}
}

// serve lets the fluid flow for d seconds.
func (j *judge) serve(d float64) {
	_, width := bounds(j.widths)
	sure := max(0, j.seats-float64(max(width, 1))+1) / max(j.seats, 1)
	for _, g := range j.tenants {
		if g.many {
			g.serve(d, sure, g.waiting > 0)
		}
		for _, a := range g.flows {
			a.serve(d, sure, a.waiting > 0)
			switch first := a.first; {
			case first == nil:
			case first.trial == nil && !j.weighted && below(&a.usage, float64(first.Width)):
				j.paid = append(j.paid, first)
			case a.lag < -tiny, g.many && (g.lag < -tiny || g.waiting > 1) && first.trial != nil && !first.trial.within:
				first.trial = nil
			}
			a.peak = max(a.peak, a.would)
			if unit := j.most + a.peak*j.longest; a.waiting > 0 && a.lag > j.Lag*unit {
				j.Lag, j.laggard, j.laggedAt = a.lag/unit, a, j.now+d
			}
		}
	}
}

// payDebts lets flows that are not active pay what they owe.
func (j *judge) payDebts(d float64) {
	for _, g := range j.several {
		if g.place < 0 {
			g.lag = min(0, g.lag+g.weight*j.spare*d)
		}
	}
	left := j.debtors[:0]
	for _, a := range j.debtors {
		if a.place < 0 {
			g := a.tenant
			rate := a.weight * g.spare
			if g.place < 0 {
				rate = g.weight * j.spare
			}
			a.lag = min(0, a.lag+rate*d)
		}
		if a.lag < 0 && a.place < 0 {
			left = append(left, a)
		} else {
			a.debtor = false
		}
	}
	j.debtors = left
}

// bounds returns the least and the largest index of what is positive.
func bounds(counts []int) (least, largest int) {
	for i, n := range counts {
		if n > 0 {
			if least == 0 {
				least = i
			}
			largest = i
		}
	}
	return least, largest
}

// markAll ends a window.
func (j *judge) markAll() {
	for _, g := range j.tenants {
		if g.many {
			j.Tenant = j.window(&g.usage, j.Tenant, Tenant, g.name)
		}
		for _, a := range g.flows {
			if j.grouped && !g.many {
				j.Tenant = j.part(&a.usage, j.Tenant, Tenant, g.name)
			}
			j.Rate = j.window(&a.usage, j.Rate, Rate, a.name)
		}
	}
}

// window adds a mark and returns the least part of a window that ends there, or least.
func (j *judge) window(u *usage, least float64, what Promise, name string) float64 {
	least = j.part(u, least, what, name)
	u.marks = append(u.marks, mark{at: j.now, owed: u.owed, lag: u.lag})
	return least
}

// part returns the least part of what was owed in a window that ends now, or least.
func (j *judge) part(u *usage, least float64, what Promise, name string) float64 {
	for _, m := range u.marks {
		if owed, part := u.part(m); owed >= enoughWork*(j.most+u.would*j.longest) && part < least {
			least = part
			j.Worst[what] = fmt.Sprintf("%s got %.2f of %.1f from %.0f to %.0f s", name, part, owed, m.at, j.now)
		}
	}
	return least
}

func (j *judge) apply(e *Event) {
	if e.Kind == Resized {
		j.seats, j.changed, j.freed = float64(e.Seats), true, j.now
		return
	}
	r := e.Request
	if e.Kind == Arrived {
		r.account, r.trial = j.accountOf(r), nil
	}
	a := r.account
	j.changed = true
	switch e.Kind {
	case Arrived:
		j.arrived(r, a)
	case Started:
		j.unwait(r, a)
		j.started(r, a, e.At)
	case Finished:
		j.finished(r, a)
		j.gone(r, a)
	case Left:
		a.left = true
		j.unwait(r, a)
		j.sentence(r, a)
		j.gone(r, a)
	case Rejected, Displaced:
		j.rejected(r, a)
		j.unwait(r, a)
		j.sentence(r, a)
		j.gone(r, a)
	}
}

func (j *judge) started(r *Request, a *account, at time.Duration) {
	if first := a.first; first != nil && first != r {
		j.sentence(first, a) // its flow is served: the flow chose another of its requests
	}
	j.sentence(r, a)
	for _, w := range []struct {
		*usage
		waiting int
	}{{&a.usage, a.waiting}, {&a.tenant.usage, a.tenant.waiting}} {
		if w.waiting == 0 {
			w.lag = min(w.lag, max(w.backlog, 0))
			w.restart(j.now)
		}
	}
	surprise := max(0, r.Work()-j.expected(a))
	j.surprise += surprise
	a.tenant.surprise += surprise
	a.executing++
	r.contended, r.known = j.waiting > 0 && at > r.Arrived, a.works.n > 0 && len(j.all) <= remembered
	a.inUse += float64(r.Width)
	a.tenant.inUse += float64(r.Width)
	j.inUse += r.Width
	j.ends += float64(r.Width) * r.ended.Seconds()
	a.tenant.ends += float64(r.Width) * r.ended.Seconds()
	j.work(r, a)
}

func (j *judge) finished(r *Request, a *account) {
	a.executing--
	a.inUse -= float64(r.Width)
	a.tenant.inUse -= float64(r.Width)
	j.inUse -= r.Width
	j.freed = j.now
	j.ends -= float64(r.Width) * r.ended.Seconds()
	a.tenant.ends -= float64(r.Width) * r.ended.Seconds()
	j.executed += r.Work()
	if a.works.n == 0 {
		j.firsts.add(r.Work())
	}
	a.works.add(r.Work())
	if a.recent = append(a.recent, r.Duration); len(a.recent) > averaged {
		a.recent = a.recent[1:]
	}
	if j.h.Scenario.steady(r.client) && r.contended && r.known && r.Deadline > 0 && r.Patience == r.Deadline && r.ended > r.Arrived+r.Patience {
		j.useless += r.Work()
	}
}

func (j *judge) accountOf(r *Request) *account {
	a := j.flows[r.Flow]
	if a == nil {
		g := j.groups[r.Tenant]
		if g == nil {
			g = &group{name: r.Tenant, presence: presence{place: -1}}
			j.list = append(j.list, g)
			g.restart(j.now)
			j.groups[r.Tenant] = g
		}
		if g.only != nil && !g.many {
			// Until now the account of its only flow was the account of the tenant.
			g.many, j.grouped = true, true
			g.owed, g.got, g.lag, g.backlog = g.only.owed, g.only.got, g.only.lag, g.only.backlog
			j.several = append(j.several, g)
			g.restart(j.now)
		}
		a = &account{name: r.Flow, tenant: g, presence: presence{place: -1}}
		if g.only == nil {
			g.only = a
		}
		a.restart(j.now)
		j.flows[r.Flow] = a
		j.all = append(j.all, a)
	}
	return a
}

func (j *judge) arrived(r *Request, a *account) {
	g := a.tenant
	a.weight, g.weight = r.Weight, r.TenantWeight
	j.weighted = j.weighted || a.weight != 1 || g.weight != 1
	a.requests = append(a.requests, r)
	if g.place < 0 {
		g.begin(len(j.tenants), j.now)
		j.sum += g.most
		j.tenants = append(j.tenants, g)
	}
	if a.place < 0 {
		a.begin(len(g.flows), j.now)
		g.flows = append(g.flows, a)
	}
	for r.Width >= len(j.widths) {
		j.widths, j.waits = append(j.widths, 0), append(j.waits, 0)
	}
	j.widths[r.Width]++
	j.waits[r.Width]++
	for _, u := range []*usage{&a.usage, &g.usage} {
		u.demand += float64(r.Width)
		u.backlog += r.Work()
	}
	a.greedy = j.h.Scenario.Clients[r.client].asksAlways() && (len(a.requests) == 1 || a.greedy)
	g.greedy = a.greedy && (g.arrivals == 0 || g.greedy)
	g.arrivals++
	j.waiting++
	a.waiting++
	g.waiting++
	if a.waiting == 2 {
		j.two++
	}
	if g.waiting == 2 {
		j.twoTenants++
	}
	if a.waiting == 1 {
		j.work(r, a)
		a.first = r
		j.try(r, a)
	}
}

// work notes the work of a request that executes or is first.
func (j *judge) work(r *Request, a *account) {
	if w := r.Work(); w > a.most {
		a.most = w
		j.sum += max(0, w-a.tenant.most)
		a.tenant.most = max(a.tenant.most, w)
		j.most = max(j.most, w)
		j.longest = max(j.longest, r.Duration.Seconds())
	}
}

// expected returns the work that is to be expected of a request of a.
func (j *judge) expected(a *account) float64 {
	if a.works.n == 0 {
		return j.firsts.mean
	}
	return a.works.mean
}

// unwait ends the wait of a request.
func (j *judge) unwait(r *Request, a *account) {
	g := a.tenant
	j.waits[r.Width]--
	j.waiting--
	if a.waiting == 2 {
		j.two--
	}
	if g.waiting == 2 {
		j.twoTenants--
	}
	a.waiting--
	g.waiting--
}

// gone removes a request.
func (j *judge) gone(r *Request, a *account) {
	g := a.tenant
	j.widths[r.Width]--
	for _, u := range []*usage{&a.usage, &g.usage} {
		u.demand -= float64(r.Width)
		if r.ended == 0 {
			u.backlog -= r.Work()
		}
	}
	if a.waiting+a.executing > 0 {
		return
	}
	a.demand, a.backlog = 0, 0
	last := g.flows[len(g.flows)-1]
	g.flows[a.place] = last
	last.place = a.place
	g.flows = g.flows[:len(g.flows)-1]
	a.place, a.until, a.lag, a.peak = -1, j.now, min(a.lag, 0), 0
	if a.lag < 0 && !a.debtor {
		a.debtor = true
		j.debtors = append(j.debtors, a)
	}
	if len(g.flows) > 0 {
		return
	}
	g.demand, g.backlog, g.lag = 0, 0, min(g.lag, 0)
	end := j.tenants[len(j.tenants)-1]
	j.tenants[g.place] = end
	end.place = g.place
	j.tenants = j.tenants[:len(j.tenants)-1]
	g.place, g.until = -1, j.now
	j.sum -= g.most
}

// end judges what is known only at the end.
func (j *judge) end() {
	for ; j.mark < windows; j.mark++ {
		j.markAll()
	}
	for _, a := range j.all {
		for _, r := range a.requests {
			j.sentence(r, a)
		}
		if a.left {
			if n := lost(a.requests); n > 0 {
				j.Lost += n
				j.Worst[Patience] = fmt.Sprintf("%s %d", a.name, n)
			}
		}
	}
	if j.laggard != nil {
		j.Worst[Lag] = fmt.Sprintf("%s at %.1f s", j.laggard.name, j.laggedAt)
	}
	total := j.capacity
	if total > 0 {
		j.Idle, j.Kept = j.Idle/total, j.Kept/total
	}
	if j.executed > 0 {
		j.Useless = j.useless / (j.executed + j.refused)
	}
}
