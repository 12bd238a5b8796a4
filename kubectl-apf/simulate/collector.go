package simulate

import (
	"time"
)

// collector collects the figures of a simulation.
type collector struct {
	levels  map[string]*levelFigures
	schemas map[flowKey]*figures // without a distinguisher
	flows   map[flowKey]*figures
	begun   time.Duration // the figures
}

func newCollector() *collector {
	return &collector{levels: map[string]*levelFigures{}, schemas: map[flowKey]*figures{}, flows: map[flowKey]*figures{}}
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
		l.begin(now)
	}
	clear(c.schemas)
	clear(c.flows)
	c.begun = now
}

// limit notes the limits of the levels of all replicas.
func (c *collector) limit(now time.Duration, replicas []flowControl) {
	sums := map[string]limits{}
	for _, replica := range replicas {
		for _, of := range replica.limits() {
			sum := sums[of.config.Name]
			of.nominal += sum.nominal
			of.lower += sum.lower
			of.upper += sum.upper
			of.current += sum.current
			sums[of.config.Name] = of
		}
	}
	for name, of := range sums {
		l := c.levels[name]
		if l == nil {
			l = &levelFigures{since: now}
			c.levels[name] = l
		}
		l.advance(now)
		l.config, l.nominal, l.lower, l.upper = of.config, of.nominal, of.lower, of.upper
		l.setLimit(of.current)
	}
}
