package simulate

import (
	"time"
)

const (
	// firstSample is how long the first samples are.
	firstSample = time.Second
	// maxSamples is how many samples cause each two to be merged.
	maxSamples = 600
)

// collector collects the figures of a simulation.
type collector struct {
	levels  map[string]*levelFigures
	schemas map[flowKey]*figures // without a distinguisher
	flows   map[flowKey]*figures
	every   time.Duration
	begun   time.Duration // the figures
	sampled time.Duration
	samples int
}

func newCollector() *collector {
	return &collector{
		levels: map[string]*levelFigures{}, schemas: map[flowKey]*figures{}, flows: map[flowKey]*figures{},
		every: firstSample,
	}
}

// counted is where a call counts.
type counted struct {
	level        *levelFigures
	schema, flow *figures
	// leftOut reports whether the call is of the warm-up. Then only what it does to the
	// seats of the level counts: its schema and flow are in no result.
	leftOut bool
}

// of returns where a call counts.
func (c *collector) of(level, schema, distinguisher string) counted {
	l := c.levels[level]
	if l == nil {
		l = &levelFigures{}
		c.levels[level] = l
	}
	key := flowKey{level: level, schema: schema}
	s := c.schemas[key]
	if s == nil {
		s = &figures{}
		c.schemas[key] = s
	}
	key.distinguisher = distinguisher
	f := c.flows[key]
	if f == nil {
		if len(c.flows) >= maxFlows {
			key.distinguisher = otherFlows
			if f = c.flows[key]; f != nil {
				return counted{level: l, schema: s, flow: f}
			}
		}
		f = &figures{}
		c.flows[key] = f
	}
	return counted{level: l, schema: s, flow: f}
}

// all returns the figures that a call counts in.
func (c *counted) all() [3]*figures {
	all := [3]*figures{&c.level.figures, c.schema, c.flow}
	if c.leftOut {
		all[0] = c.schema
	}
	return all
}

// begin forgets all figures and keeps what the levels do now.
func (c *collector) begin(now time.Duration) {
	for _, l := range c.levels {
		in := usage{mostSeats: l.seats, mostWaiting: l.waiting}
		*l = levelFigures{
			config: l.config, nominal: l.nominal, lower: l.lower, upper: l.upper, current: l.current,
			seats: l.seats, waiting: l.waiting, since: now, whole: in, part: in,
		}
	}
	clear(c.schemas)
	clear(c.flows)
	c.begun, c.sampled = now, now
}

// limit notes the limits of the levels of all replicas.
func (c *collector) limit(now time.Duration, replicas []flowControl) {
	for _, l := range c.levels {
		l.advance(now)
		l.nominal, l.lower, l.upper, l.current = 0, 0, 0, 0
	}
	for _, replica := range replicas {
		for _, of := range replica.limits() {
			l := c.levels[of.config.Name]
			if l == nil {
				l = &levelFigures{since: now}
				c.levels[of.config.Name] = l
			}
			l.config = of.config
			l.nominal += of.nominal
			l.lower += of.lower
			l.upper += of.upper
			l.current += of.current
		}
	}
}

// sample ends a sample of each level.
func (c *collector) sample(now time.Duration) {
	seconds := (now - c.sampled).Seconds()
	if seconds <= 0 {
		return
	}
	c.sampled = now
	for _, l := range c.levels {
		l.sample(now, seconds)
	}
	if c.samples++; c.samples >= maxSamples {
		for _, l := range c.levels {
			l.merge()
		}
		c.samples /= 2
		c.every *= 2
	}
}
