package queueset

import "slices"

// flowCap is the cap of a flow, see the package comment. It counts what each flow uses and
// holds back the requests that must not start. The zero value caps nothing and counts
// nothing.
type flowCap struct {
	percent int                  // of the limit in seats; 0 means no cap
	flows   map[flowKey]*flowUse // with waiting or executing requests
	waiting int                  // flows with waiting requests
	holding []*flowUse           // flows with requests held back
	held    int                  // requests held back
}

// flowKey identifies a flow within a priority level.
type flowKey struct{ schema, distinguisher string }

// flowUse is what one flow uses and wants.
type flowUse struct {
	key     flowKey
	seats   int         // in use
	waiting int         // requests that wait, with those held back
	held    requestList // in order of arrival
}

// of returns the use of the flow of r, nil without a cap.
func (c *flowCap) of(r *Request) *flowUse {
	if c.percent == 0 {
		return nil
	}
	key := flowKey{r.Series.Schema, r.Flow}
	u := c.flows[key]
	if u == nil {
		if c.flows == nil {
			c.flows = map[flowKey]*flowUse{}
		}
		u = &flowUse{key: key}
		c.flows[key] = u
	}
	return u
}

// arrive counts r, which waits from now on.
func (c *flowCap) arrive(r *Request) {
	if r.use = c.of(r); r.use == nil {
		return
	}
	if r.use.waiting++; r.use.waiting == 1 {
		c.waiting++
	}
}

// countExecuting counts r, which executes and was not counted.
func (c *flowCap) countExecuting(r *Request) {
	if r.use = c.of(r); r.use != nil {
		r.use.seats += r.held
	}
}

// start counts that r, which waited, executes.
func (c *flowCap) start(r *Request) {
	if u := r.use; u != nil {
		u.seats += r.held
		c.leave(r)
	}
}

// leave counts that r no longer waits.
func (c *flowCap) leave(r *Request) {
	if u := r.use; u != nil {
		if u.waiting--; u.waiting == 0 {
			c.waiting--
		}
		c.forgetUnused(u)
	}
}

// free counts seats that a flow returned.
func (c *flowCap) free(u *flowUse, seats int) {
	u.seats -= seats
	c.forgetUnused(u)
}

func (c *flowCap) forgetUnused(u *flowUse) {
	// What an additional latency returns may have been used before the cap changed.
	if u.seats == 0 && u.waiting == 0 && c.flows[u.key] == u {
		delete(c.flows, u.key)
	}
}

// exceeds reports whether the cap forbids that r, which waits, starts under the limit: a
// request of another flow waits, and r would take more seats than the cap beside others of
// its flow.
func (c *flowCap) exceeds(r *Request, limit int) bool {
	u := r.use
	return u != nil && u.seats > 0 && c.waiting > 1 && u.seats+r.Work.Width() > limit*c.percent/100
}

// holdBack adds r to those held back, in order of arrival.
func (c *flowCap) holdBack(r *Request) {
	u := r.use
	r.heldBack = true
	c.held++
	if u.held.head == nil {
		c.holding = append(c.holding, u)
	}
	after := u.held.tail // the request that r follows
	if after != nil && u.held.head.arrived >= r.arrived {
		after = nil
	}
	for after != nil && after.arrived > r.arrived {
		after = after.prev
	}
	u.held.link(r, after)
}

// letGo removes r from those held back.
func (c *flowCap) letGo(r *Request) {
	u := r.use
	r.heldBack = false
	c.held--
	u.held.unlink(r)
	if u.held.head == nil {
		i := slices.Index(c.holding, u)
		c.holding = slices.Delete(c.holding, i, i+1)
	}
}
