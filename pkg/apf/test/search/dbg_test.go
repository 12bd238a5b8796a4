package search

import (
	"testing"
	"time"
)

func TestDbg(t *testing.T) {
	sc, _ := Parse(*scenario)
	for _, d := range disciplines {
		if d.Name != *climbOn {
			continue
		}
		h := Run(&sc, d)
		j := newJudge(h)
		for i := range h.Events {
			e := &h.Events[i]
			j.advance(e.At.Seconds())
			j.apply(e)
			if a := j.flows["crowdc"]; a != nil && i%60 == 0 {
				println(int(j.now*1000), int(1000*a.lag), int(1000*j.fluid.spare), len(j.tenants), a.place, a.debtor, int(a.inUse), int(1000*a.fair))
			}
			if e.At > *dbgFrom && e.At < *dbgTo {
				u := e.Request.account
				t.Logf("%.3f %s %s w%d waited %v; waiting %d inuse %.0f lag %.3f", j.now, []string{"arrived", "started", "finished", "left", "rejected", "displaced", "resized"}[e.Kind], e.Request.Flow, e.Request.Width, e.At-e.Request.Arrived, u.waiting, u.inUse, u.lag)
			}
		}
		_ = time.Second
	}
}
