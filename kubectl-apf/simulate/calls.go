package simulate

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// progress is what a simulation knows of a call.
type progress struct {
	simulation       *simulation
	counted          counted
	plan             *plan // of a closed loop
	replica          flowControl
	arrived, started time.Duration
	service          time.Duration
	end, timeout     timer
}

// newCall returns a call that is not in use.
func (s *simulation) newCall() *call {
	if last := len(s.free) - 1; last >= 0 {
		c := s.free[last]
		s.free = s.free[:last]
		return c
	}
	c := &call{}
	c.progress.simulation = s
	c.progress.end = timer{line: s.line, call: c.ended}
	c.progress.timeout = timer{line: s.line, call: c.timedOut}
	c.wake = c.woken
	if s.options.Engine == APF {
		c.wake = func() {
			if c.classified.Displaced() {
				c.displaced()
				return
			}
			c.seat()
			c.woken()
		}
	}
	return c
}

// woken is called when a waiting call is dispatched.
func (c *call) woken() {
	of := &c.progress
	of.timeout.Stop()
	of.counted.level.change(of.simulation.line.now, 0, -1)
	c.execute()
}

// displaced is called when another call took the place of a waiting call on a full level.
func (c *call) displaced() {
	of := &c.progress
	of.timeout.Stop()
	of.counted.level.change(of.simulation.line.now, 0, -1)
	c.classified.End()
	c.rejected(queueset.QueueFull.String())
}

// execute starts the execution of a call that has its seats.
func (c *call) execute() {
	of := &c.progress
	s := of.simulation
	of.started = s.line.now
	for _, f := range of.counted.all() {
		f.waits.add(of.started - of.arrived)
	}
	of.counted.level.change(s.line.now, c.held, 0)
	of.end.Reset(of.service)
}

// ended ends the execution of a call.
func (c *call) ended() {
	of := &c.progress
	s := of.simulation
	of.counted.level.change(s.line.now, c.kept-c.held, 0)
	used := float64(c.held)*(s.line.now-of.started).Seconds() + float64(c.kept)*c.latency.Seconds()
	for _, f := range of.counted.all() {
		f.SeatSeconds += used
	}
	if kept := c.kept; kept > 0 {
		level := of.counted.level
		s.line.after(c.latency, func() { level.change(s.line.now, -kept, 0) })
	}
	of.replica.finish(c)
	s.gone(c, false)
}

// timedOut removes a call that has waited as long as it may.
func (c *call) timedOut() {
	of := &c.progress
	of.counted.level.change(of.simulation.line.now, 0, -1)
	of.replica.leave(c)
	c.rejected(queueset.TimeOut.String())
}

// rejected counts a call that does not execute.
func (c *call) rejected(reason string) {
	of := &c.progress
	for _, f := range of.counted.all() {
		f.reject(reason)
	}
	of.simulation.gone(c, true)
}

// gone takes a call back that is over.
func (s *simulation) gone(c *call, rejected bool) {
	s.stir()
	s.inFlight--
	c.classified = nil
	s.free = append(s.free, c)
	if p := c.progress.plan; p != nil {
		s.closed.ended(p, rejected)
	}
}
