package search

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"
)

// Finding is the worst that a climb found.
type Finding struct {
	Scenario Scenario
	Measures Measures
	Promise  Promise
	Loss     float64
	Tried    int // scenarios
}

// String returns what was found, and how to repeat it.
func (f Finding) String() string {
	return fmt.Sprintf("%v %.2f after %d scenarios: %v\n\t%v\n\t-scenario='%v'", f.Promise, f.Loss, f.Tried, f.Measures.Broken(), f.Measures, f.Scenario)
}

// Climb looks for a large loss of any of some promises by a discipline.
type Climb struct {
	Discipline Discipline
	Promises   []Promise
	// Allowed is what the discipline does not keep: by how much a loss is divided; 1 where there is none.
	Allowed map[Promise]float64
	Space   Space
	Seed    uint64
	// Patience is after how many changes without a larger loss it starts again with another scenario,
	// and with the next promise.
	Patience int
}

// Run climbs until stop returns true for the worst so far, and returns it.
func (c Climb) Run(stop func(Finding) bool) Finding {
	g := &generator{Rand: rand.New(rand.NewPCG(c.Seed, 0)), Space: c.Space}
	best, here := Finding{Loss: -1}, Finding{}
	idle, target, starts := c.Patience, c.Promises[0], 0
	for tried := 1; ; tried++ {
		s := here.Scenario
		if idle >= c.Patience {
			target = c.Promises[starts%len(c.Promises)]
			starts++
			s, idle, here.Loss = g.scenario(), 0, -1
		} else {
			s = g.mutate(s)
		}
		m := Judge(Run(&s, c.Discipline))
		idle++
		if loss := c.loss(&m, target); loss >= here.Loss {
			if loss > here.Loss*1.01 {
				idle = 0
			}
			here = Finding{Scenario: s, Measures: m, Promise: target, Loss: loss}
		}
		for _, p := range c.Promises {
			if loss := c.loss(&m, p); loss > best.Loss {
				best = Finding{Scenario: s, Measures: m, Promise: p, Loss: loss}
			}
		}
		best.Tried = tried
		if stop(best) {
			return best
		}
	}
}

func (c Climb) loss(m *Measures, p Promise) float64 { return m.Loss(p) / cmp.Or(c.Allowed[p], 1) }

// Shrink returns a finding with less in it, that still breaks the promise about as much.
func (c Climb) Shrink(f Finding) Finding {
	enough := 1 + (f.Loss-1)*0.7
	try := func(s Scenario) bool {
		m := Judge(Run(&s, c.Discipline))
		if loss := c.loss(&m, f.Promise); loss >= enough {
			f.Scenario, f.Measures, f.Loss = s, m, loss
			return true
		}
		return false
	}
	for smaller := true; smaller; {
		smaller = false
		for i := 0; i < len(f.Scenario.Clients); i++ {
			s := f.Scenario
			s.Clients = slices.Delete(slices.Clone(s.Clients), i, i+1)
			if len(s.Clients) > 0 && try(s) {
				smaller = true
				i--
				continue
			}
			for _, simpler := range simplifications() {
				s = f.Scenario
				s.Clients = slices.Clone(s.Clients)
				simpler(&s.Clients[i])
				if !reflect.DeepEqual(s, f.Scenario) && try(s) {
					smaller = true
				}
			}
		}
		for i := range f.Scenario.Changes {
			s := f.Scenario
			s.Changes = slices.Delete(slices.Clone(s.Changes), i, i+1)
			if try(s) {
				smaller = true
				break
			}
		}
	}
	return f
}

// simplifications returns what takes something away from clients.
func simplifications() []func(*Client) {
	return []func(*Client){
		func(c *Client) { c.Tenant, c.TenantWeights = "", nil },
		func(c *Client) { c.Weights = nil },
		func(c *Client) { c.TenantWeights = nil },
		func(c *Client) { c.Jitter = 0 },
		func(c *Client) { c.LongTakes, c.LongEach = 0, 0 },
		func(c *Client) { c.ShortPatience, c.ShortEach = 0, 0 },
		func(c *Client) { c.Deadline = 0 },
		func(c *Client) { c.Patience = 0 },
		func(c *Client) { c.Retries = 0 },
		func(c *Client) { c.From, c.Until = 0, 0 },
		func(c *Client) { c.Stagger = 0 },
		func(c *Client) { c.Width = 1 },
		func(c *Client) { c.Think = 0 },
		func(c *Client) { c.Names, c.PerName = 1, 0 },
		func(c *Client) { c.Threads = (c.Threads + 1) / 2 },
		func(c *Client) { c.Threads = c.Threads * 7 / 8 },
		func(c *Client) {
			round(&c.Takes)
			round(&c.LongTakes)
			round(&c.Think)
			round(&c.Every)
			round(&c.From)
			round(&c.Until)
			round(&c.Patience)
			round(&c.ShortPatience)
			round(&c.Deadline)
			round(&c.Stagger)
		},
	}
}

// round leaves two digits of a time.
func round(d *time.Duration) {
	unit := time.Duration(1)
	for *d/unit >= 100 {
		unit *= 10
	}
	*d = d.Round(unit)
}
