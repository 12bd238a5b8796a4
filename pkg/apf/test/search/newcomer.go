package search

import "fmt"

// trial is a request whose wait is judged.
type trial struct {
	at       float64
	capacity float64 // seat-seconds of the level, or within a tenant what that got, until then
	within   bool    // a tenant
	width    int     // largest present
	left     float64 // X, seat-seconds
	sum      float64 // of M(j)
	surprise float64 // of the judge or the tenant, until then
}

// try begins to judge the wait of the first request of a flow, if the flow is below its fair rate.
func (j *judge) try(r *Request, a *account) {
	if j.weighted {
		return // who has more weight may overtake
	}
	j.divide(j.seats)
	j.changed = true
	j.begin(r, a)
}

// begin is try after the fluid was divided.
func (j *judge) begin(r *Request, a *account) {
	g, v := a.tenant, float64(r.Width)
	if !below(&a.usage, v) {
		return
	}
	_, width := bounds(j.widths)
	t := trial{at: j.now, capacity: j.capacity, width: width, sum: j.sum - g.most, left: j.ends - j.now*float64(j.inUse), surprise: j.surprise}
	if g.many && (g.waiting > 1 || !below(&g.usage, v)) {
		// The tenant is not below its fair rate. What it gets is divided among its flows.
		t.within, t.capacity, t.left, t.sum, t.surprise = true, g.got, g.ends-j.now*g.inUse, -a.most, g.surprise
		for _, o := range g.flows {
			t.sum += o.most
		}
	}
	r.trial = &t
}

// addLags lets others get what they are owed before a request whose flow had a debt.
func (j *judge) addLags(r *Request) {
	if r.trial == nil {
		return
	}
	for _, g := range j.tenants {
		for _, a := range g.flows {
			if a != r.account && (!r.trial.within || g == r.account.tenant) {
				r.trial.left += max(0, a.lag)
			}
		}
	}
}

// sentence ends it.
func (j *judge) sentence(r *Request, a *account) {
	if a.first == r {
		a.first = nil
	}
	t := r.trial
	if t == nil {
		return
	}
	r.trial = nil
	if j.weighted {
		return
	}
	_, width := bounds(j.widths)
	used := j.capacity - t.capacity - float64(max(width, t.width)-1)*(j.now-t.at)
	v, g := float64(r.Width), a.tenant
	left := t.left + j.surprise - t.surprise
	if t.within {
		used, left = g.got-t.capacity, t.left+g.surprise-t.surprise
	}
	if used <= tiny || left+v*t.sum <= tiny {
		return // it did not wait, or for nobody
	}
	worst, name := &j.Newcomer, Newcomer
	if r.Width > 1 {
		worst, name = &j.Wide, Wide
	}
	units := func(sum float64) float64 { return used / max(left+v*sum, tiny) }
	if units(t.sum) <= *worst {
		return
	}
	// The largest work of a flow may have grown since.
	sum := 0.0
	for _, o := range j.list {
		if !t.within && o != g && o.wasActive(t.at) {
			sum += o.most
		}
	}
	for _, o := range j.all {
		if t.within && o.tenant == g && o != a && o.wasActive(t.at) {
			sum += o.most
		}
	}
	if u := min(units(max(sum, t.sum)), 99); u > *worst {
		*worst = u
		j.Worst[name] = fmt.Sprintf("%s waited %.3f s from %.3f s", a.name, j.now-t.at, t.at)
	}
}

// below reports whether a flow or tenant has no debt, and stays within its fair rate with v more seats.
func below(u *usage, v float64) bool {
	return u.lag >= -tiny && (u.inUse == 0 || u.inUse+v <= u.would+tiny)
}
