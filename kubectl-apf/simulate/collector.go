package simulate

import "time"

// collector collects the figures of a simulation.
type collector struct {
	levels  map[string]*levelFigures
	schemas map[flowKey]*figures // without a distinguisher
	flows   map[flowKey]*figures
	begun   time.Duration // the figures
}

// counted is where a call counts.
type counted struct {
	level        *levelFigures
	schema, flow *figures
}

// of returns where a call counts.
func (c *collector) of(level, schema, distinguisher string) counted {
	key := flowKey{level: level, schema: schema}
	s := c.schemas[key]
	if s == nil {
		s = &figures{}
		c.schemas[key] = s
	}
	key.distinguisher = distinguisher
	f := c.flows[key]
	if f == nil {
		f = &figures{}
		c.flows[key] = f
	}
	return counted{level: c.levels[level], schema: s, flow: f}
}

// all returns the figures that a call counts in.
func (c *counted) all() [3]*figures { return [3]*figures{&c.level.figures, c.schema, c.flow} }

// limit notes the limits of the levels of all replicas.
func (c *collector) limit(now time.Duration, replicas []flowControl) {
	sums := map[string]limits{}
	for _, replica := range replicas {
		for _, of := range replica.limits() {
			sum := sums[of.config.Name]
			of.Nominal += sum.Nominal
			of.Lower += sum.Lower
			of.Upper += sum.Upper
			of.current += sum.current
			sums[of.config.Name] = of
		}
	}
	for name, of := range sums {
		l := c.levels[name]
		first := l == nil
		if first {
			l = &levelFigures{since: now}
			c.levels[name] = l
		}
		l.advance(now)
		l.config, l.Limits = of.config, of.Limits
		l.setLimit(of.current)
		if first { // no seat is in use, but there is a limit
			l.limit.least, l.lent.least = l.limit.now, l.lent.now
		}
	}
}
