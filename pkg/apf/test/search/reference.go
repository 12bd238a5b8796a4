package search

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Rules break a rule of the Reference on purpose.
type Rules struct {
	// DebtorsDivide divides the seats also among flows and tenants that are gone and have a debt.
	DebtorsDivide bool
	// NewcomersFirst begins a flow at the greatest lag of the flows that wait.
	NewcomersFirst bool
	// NarrowFirst lets requests that fit overtake the first one without bound.
	NarrowFirst bool
	// NoTenants takes each flow for a tenant.
	NoTenants bool
	// TailDrop rejects the new request when the level is full.
	TailDrop bool
	// LastPatience expects each client of a flow to leave as early as the last one that left.
	LastPatience bool
	// NoDeadlines starts requests that cannot end in time.
	NoDeadlines bool
}

// Reference returns the discipline that shows which promises can be kept together. It is told how long
// each request takes, and walks all flows at each event.
//
// Each tenant, and each flow within its tenant, has a lag: how much less it got than its fair rate. It
// grows by the fair rate and falls by the seats in use. The fair rate is the level of max-min, at most
// what is asked for while something of the flow executes, and the whole level while it only waits. Its key is
// the lag less what its executing requests will still take. Served first are those who owe nothing and either
// use less than their fair rate or have a key of at least their largest request: a flow whose share is several seats
// gets these before others get more than theirs, however long its requests are. Of these the tenant with the
// greatest key goes first, and of its flows the one with the greatest key; on a tie, who began to wait first. A
// debt, which is a negative lag, stays until the fair rate has paid it. A claim ends when nothing waits.
// Whoever begins to wait starts at the level from which all before it get together one largest request
// of each, of their own, and lifts all that wait to it. Once seats are kept for a request it is next.
// Who executes uses the seats that are kept for the next of its requests.
func Reference() Discipline { return Discipline{Name: "reference", New: Broken(Rules{}).New} }

// Broken returns the Reference with rules that are broken on purpose.
func Broken(rules Rules) Discipline {
	return Discipline{Name: "broken", New: func(host Host, c Config) Level {
		l := &reference{host: host, config: c, rules: rules, seats: c.Seats}
		l.root = &party{members: map[string]*party{}}
		return l
	}}
}

// reference is a Level.
type reference struct {
	host    Host
	config  Config
	rules   Rules
	seats   int
	inUse   int
	waiting int
	begun   int // waits
	now     time.Duration
	kept    *Request // that seats are kept for
	root    *party   // of the tenants
	shares  []share
}

var _ Level = (*reference)(nil)

// party is a tenant or a flow.
type party struct {
	name      string
	parent    *party
	members   map[string]*party
	active    []*party // members with requests, and members that owe
	began     int      // to wait, in the order of all
	weight    float64
	own       float64    // seat-seconds that it got less than its fair rate, negative for a debt
	ahead     float64    // by how much it is served before that, since it began to wait
	most      float64    // largest work of a request that executed or was first
	line      []*Request // of a flow: waiting, in order of arrival
	executing int
	inUse     float64 // seats
	ends      float64 // sum of width times end of what executes, in seat-seconds
	waiting   int
	asks      float64       // seats of its requests
	rate      float64       // fair rate, in seats
	patience  time.Duration // of the client that left last
}

// key returns the lag less what the executing requests will still take.
func (p *party) key(now time.Duration) float64 {
	return p.own + p.ahead - p.left(now)
}

// left returns the seat-seconds that the executing requests will still take.
func (p *party) left(now time.Duration) float64 { return p.ends - p.inUse*now.Seconds() }

// execute notes that a request starts, or ends if sign is -1.
func (p *party) execute(r *Request, sign float64) {
	p.executing += int(sign)
	p.most = max(p.most, r.Work())
	p.inUse += sign * float64(r.Width)
	p.ends += sign * float64(r.Width) * r.ended.Seconds()
	p.asks += sign * float64(r.Width)
}

// sync brings all lags to now.
func (l *reference) sync() {
	now := l.host.Now()
	d := (now - l.now).Seconds()
	l.now = now
	if d <= 0 {
		return
	}
	l.divide(l.root, float64(l.seats))
	l.age(l.root, d)
}

// divide gives each member of p its fair rate of a number of seats.
func (l *reference) divide(p *party, capacity float64) {
	l.shares = l.shares[:0]
	weight, asked := 0.0, 0.0
	for _, m := range p.active {
		if m.waiting+m.executing == 0 {
			if l.rules.DebtorsDivide && m.own < 0 {
				weight, asked = weight+m.weight, math.Inf(1)
				l.shares = append(l.shares, share{m.weight, math.Inf(1)})
			}
			continue
		}
		weight, asked = weight+m.weight, asked+m.asks
		l.shares = append(l.shares, share{m.weight, m.asks})
	}
	per := level(capacity, l.shares)
	spare := per
	if math.IsInf(per, 1) {
		spare = max(capacity-asked, capacity/(weight+1)) // what one more would get
	}
	for _, m := range p.active {
		m.rate = m.weight * spare
		if m.executing > 0 {
			fair := min(m.weight*per, m.asks)
			if m.rate = max(m.rate, fair); m.own >= 0 {
				m.rate = fair
			}
		}
	}
	for _, m := range p.active {
		if m.members != nil {
			l.divide(m, m.rate)
		}
	}
}

// age lets d seconds pass.
func (l *reference) age(p *party, d float64) {
	p.active = slices.DeleteFunc(p.active, func(m *party) bool {
		l.age(m, d)
		m.own += (m.rate - m.inUse - l.keptFor(m)) * d
		if m.waiting+m.executing > 0 {
			return false
		}
		m.own, m.ahead = min(m.own, 0), 0
		if m.own < 0 || len(m.active) > 0 {
			return false
		}
		delete(p.members, m.name)
		return true
	})
}

// keptFor returns how many seats are free because they are kept for a request of a party, and because
// others of its requests have the seats that would do.
func (l *reference) keptFor(p *party) float64 {
	if l.kept == nil || p.executing == 0 {
		return 0
	}
	if f := l.kept.State.(*party); f != p && f.parent != p {
		return 0
	}
	return float64(max(0, l.seats-l.inUse))
}

// member returns the member of p with a name.
func (p *party) member(name string, inner bool) *party {
	m := p.members[name]
	if m == nil {
		m = &party{name: name, parent: p}
		if inner {
			m.members = map[string]*party{}
		}
		p.members[name] = m
		p.active = append(p.active, m)
	}
	return m
}

// Arrive implements Level.
func (l *reference) Arrive(r *Request) {
	l.sync()
	name := r.Tenant
	if l.rules.NoTenants {
		name = r.Flow
	}
	tenant := l.root.member(name, true)
	flow := tenant.member(r.Flow, false)
	tenant.weight, flow.weight = r.TenantWeight, r.Weight
	r.State = flow
	if len(flow.line) >= l.config.FlowWaiting() || l.waiting >= l.config.Waiting() && !l.makeRoom(flow) {
		l.host.Reject(r, 0)
		return
	}
	for _, p := range []*party{tenant, flow} {
		if p.waiting == 0 {
			l.begin(p)
			p.most = max(p.most, r.Work())
		}
		p.waiting++
		p.asks += float64(r.Width)
	}
	flow.line = append(flow.line, r)
	l.waiting++
	l.dispatch()
}

// begin places a party that begins to wait.
func (l *reference) begin(p *party) {
	l.begun++
	p.began = l.begun
	var keys []float64
	room := 0.0
	for _, m := range p.parent.active {
		if m != p && m.waiting+m.executing > 0 {
			keys = append(keys, m.key(l.now))
			room += m.most
		}
	}
	if len(keys) == 0 {
		return
	}
	slices.SortFunc(keys, func(a, b float64) int { return cmp.Compare(b, a) })
	start, sum := 0.0, 0.0
	for i, k := range keys {
		// With the level at k the first i have sum - i*k before it.
		if sum-float64(i)*k > room {
			break
		}
		sum += k
		start = (sum - room) / float64(i+1)
	}
	if l.rules.NewcomersFirst {
		start = keys[0]
	}
	for _, m := range p.parent.active {
		if m.waiting > 0 && !l.rules.NewcomersFirst {
			m.ahead = max(m.ahead, max(start, 0)-max(m.own, 0))
		}
	}
	p.ahead = max(p.ahead, max(start, 0)-max(p.own, 0))
}

// makeRoom displaces a request for one of a flow, and reports whether it did: the last one of a flow
// with two, of the tenant that is served last.
func (l *reference) makeRoom(flow *party) bool {
	if l.rules.TailDrop {
		return false
	}
	var last *party
	end := math.Inf(1)
	for _, t := range l.root.active {
		n := t.waiting
		if t == flow.parent {
			n++
		}
		if n < 2 {
			continue
		}
		e := t.key(l.now)
		for _, f := range t.active {
			for _, r := range f.line {
				e -= r.Work()
			}
		}
		if e < end {
			last, end = t, e
		}
	}
	if last == nil {
		return false
	}
	var most *party
	length := 0
	for _, f := range last.active {
		n := len(f.line)
		if f == flow {
			n++
		}
		if n > length {
			most, length = f, n
		}
	}
	if most == flow {
		return false
	}
	l.displace(most)
	return true
}

func (l *reference) displace(f *party) {
	r := f.line[len(f.line)-1]
	l.remove(r)
	l.host.Reject(r, 0)
}

// remove takes a request out of its line.
func (l *reference) remove(r *Request) {
	f := r.State.(*party)
	if l.kept == r {
		l.kept = nil
	}
	f.line = slices.Delete(f.line, slices.Index(f.line, r), slices.Index(f.line, r)+1)
	l.waiting--
	for _, p := range []*party{f, f.parent} {
		p.waiting--
		p.asks -= float64(r.Width)
	}
}

// Leave implements Level.
func (l *reference) Leave(r *Request) {
	l.sync()
	r.State.(*party).patience = r.Patience
	l.remove(r)
	l.dispatch()
}

// Finish implements Level.
func (l *reference) Finish(r *Request) {
	l.sync()
	f := r.State.(*party)
	for _, p := range []*party{f, f.parent} {
		p.execute(r, -1)
	}
	l.inUse -= r.Width
	l.dispatch()
}

// SetSeats implements Level.
func (l *reference) SetSeats(n int) {
	l.sync()
	l.seats = n
	l.dispatch()
}

// dispatch starts what may start.
func (l *reference) dispatch() {
	l.dropDoomed()
	for l.waiting > 0 && l.seats > 0 {
		r := l.kept
		if r == nil {
			r = l.next()
		}
		if r == nil {
			return
		}
		if l.inUse > 0 && l.inUse+r.Width > l.seats {
			l.kept = r
			return
		}
		l.remove(r)
		f := r.State.(*party)
		l.inUse += r.Width
		l.host.Start(r)
		for _, p := range []*party{f, f.parent} {
			p.execute(r, 1)
			if p.waiting == 0 {
				// Nobody has a claim on what they do not ask for.
				p.own, p.ahead = min(p.own, p.left(l.now)), 0
			}
		}
	}
}

// dropDoomed rejects requests that cannot end in time.
func (l *reference) dropDoomed() {
	if l.rules.NoDeadlines {
		return
	}
	for _, t := range l.root.active {
		for _, f := range t.active {
			for i := 0; i < len(f.line); {
				r := f.line[i]
				patience := r.Deadline
				if l.rules.LastPatience && f.patience > 0 {
					patience = f.patience
				}
				if patience == 0 || l.now+r.Duration <= r.Arrived+patience {
					i++
					continue
				}
				if r.Deadline > 0 && l.now+r.Duration > r.Arrived+r.Deadline {
					l.remove(r)
					l.host.Reject(r, 0)
					continue
				}
				i++
			}
		}
	}
}

// next returns the request that is served next.
func (l *reference) next() *Request {
	l.divide(l.root, float64(l.seats))
	tenant := l.greatest(l.root, func(p *party) bool {
		return slices.ContainsFunc(p.active, func(f *party) bool { return l.first(f) != nil })
	})
	if tenant == nil {
		return nil
	}
	return l.first(l.greatest(tenant, func(f *party) bool { return l.first(f) != nil }))
}

// greatest returns the member of p that is served next. Only members for which may is true are. On a tie,
// who began to wait first is.
func (l *reference) greatest(p *party, may func(*party) bool) *party {
	var best *party
	for _, m := range p.active {
		if m.waiting > 0 && may(m) && (best == nil || l.before(m, best)) {
			best = m
		}
	}
	return best
}

// before reports whether p is served before another.
func (l *reference) before(p, other *party) bool {
	if due := l.due(p); due != l.due(other) {
		return due
	}
	ahead := p.key(l.now) - other.key(l.now)
	return ahead > tiny || ahead > -tiny && p.began < other.began
}

// due reports whether p is to get a seat before others get more than their fair rate.
func (l *reference) due(p *party) bool {
	return p.own >= 0 && (p.inUse == 0 || p.inUse+1 <= p.rate+tiny || p.own-p.left(l.now) >= p.most)
}

// first returns the first request of a flow.
func (l *reference) first(f *party) *Request {
	for _, r := range f.line {
		if l.rules.NarrowFirst && l.inUse > 0 && l.inUse+r.Width > l.seats {
			continue
		}
		if l.rules.LastPatience && f.patience > 0 && l.now+r.Duration > r.Arrived+f.patience && r != f.line[len(f.line)-1] {
			continue
		}
		return r
	}
	return nil
}
