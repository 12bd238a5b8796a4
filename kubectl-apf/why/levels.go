package why

import (
	"cmp"
	"math"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// maxHeaviest is the number of heaviest flows of a level in a result.
const maxHeaviest = 5

// levelState is a level during the evidence.
type levelState struct {
	Level
	// limit is what the capacity is computed with, in seats; 0 if it is unknown. capacity and used are
	// seat-seconds.
	nominal         int
	limit, capacity float64
	used            amount
	requests        int
	keys            []flowKey
	demands         map[flowKey]amount
	tenants         map[flowKey]tenant
	// wanted is the mean number of seats that each server was asked for; 0 if it is unknown.
	wanted amount
	// metrics are one server's, on average.
	metrics meanMetrics
}

// levelStates returns the levels that have flows, by name.
func (i *Inquiry) levelStates() map[string]*levelState {
	states := map[string]*levelState{}
	executed := map[string]int{}
	for key, a := range i.all {
		s := states[key.level]
		if s == nil {
			s = i.newLevelState(key.level)
			states[key.level] = s
		}
		s.keys = append(s.keys, key)
		s.tenants[key] = i.tenantOf(key)
		s.used = s.used.plus(a.used)
		s.requests += a.requests
		executed[key.level] += a.within
	}
	for name, s := range states {
		var mean amount
		if executed[name] > 0 {
			mean = s.used.times(1 / float64(executed[name]))
		}
		i.fillDemands(s, mean)
	}
	return states
}

func (i *Inquiry) newLevelState(name string) *levelState {
	s := &levelState{Level: Level{Name: name, Servers: max(i.query.Servers, len(i.serversOf(name)))}, demands: map[flowKey]amount{}, tenants: map[flowKey]tenant{}}
	report, known := i.inForce.Levels[name]
	if !known {
		i.unknownLevels[name] = true
	}
	if i.observed == 0 {
		s.Servers = len(i.replicas)
	}
	if s.Type = ""; known {
		s.Type, s.nominal = report.Config.Discipline.String(), report.Limits.Nominal
	}
	s.limit = float64(s.nominal)
	s.metrics = i.meanMetrics(name)
	if s.Current = s.metrics.known; s.Current {
		s.limit = float64(s.metrics.current)
	}
	s.capacity = s.limit * float64(s.Servers) * i.seconds(name)
	if s.Type == queueset.Exempt.String() {
		return s
	}
	if known {
		s.Nominal = &s.nominal
	}
	if known || s.Current {
		s.Limit, s.Capacity = &s.limit, &s.capacity
	}
	return s
}

// meanMetrics are the mean metrics of a level, in seats, over the servers that tell them.
type meanMetrics struct {
	known          bool
	current, upper int
	demand         float64
}

func (i *Inquiry) meanMetrics(name string) (mean meanMetrics) {
	n := 0
	for r := range i.replicas {
		m := i.replicas[r].Metrics.Levels[name]
		if m.Current == nil {
			continue
		}
		n++
		mean.current += *m.Current
		mean.upper += ptr.Deref(m.Upper, 0)
		mean.demand += ptr.Deref(m.DemandSmoothed, 0)
	}
	if n > 0 {
		mean = meanMetrics{true, mean.current / n, mean.upper / n, mean.demand / float64(n)}
	}
	return mean
}

// fillDemands fills what follows from the flows of the level. mean is the mean use of its requests.
func (i *Inquiry) fillDemands(s *levelState, mean amount) {
	var demanded amount
	for _, key := range s.keys {
		s.demands[key] = i.all[key].demand(mean)
		demanded = demanded.plus(s.demands[key])
	}
	s.wanted = amount{s.metrics.demand, s.metrics.demand}
	s.Heaviest = []Use{}
	if i.filter() != "" {
		return // what the level served besides is unknown
	}
	if !math.IsInf(demanded.least, 1) {
		s.Demanded, s.DemandedAtMost = &demanded.least, demanded.atMost()
		if seconds := i.seconds(s.Name) * float64(s.Servers); seconds > 0 {
			s.wanted.least, s.wanted.most = max(s.wanted.least, demanded.least/seconds), max(s.wanted.most, demanded.most/seconds)
		}
	}
	s.Seconds, s.Flows = new(i.seconds(s.Name)), new(len(s.keys))
	i.fillServers(s)
	if slices.ContainsFunc(s.keys, func(key flowKey) bool { return i.all[key].knowsUses() }) {
		s.Used, s.UsedAtMost = &s.used.least, s.used.atMost()
	}
	slices.SortFunc(s.keys, func(a, b flowKey) int {
		return cmp.Or(cmp.Compare(i.all[b].used.most, i.all[a].used.most), compareKeys(a, b))
	})
	for _, key := range s.keys[:min(maxHeaviest, len(s.keys))] {
		if a := i.all[key]; a.knowsUses() {
			s.Heaviest = append(s.Heaviest, Use{key.schema, key.distinguisher, a.used.least, a.used.atMost()})
		}
	}
}

func compareKeys(a, b flowKey) int {
	return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.schema, b.schema), cmp.Compare(a.distinguisher, b.distinguisher))
}

// fairShareOf returns the fair share of a flow of the level and of its tenant, in seat-seconds. It is least if the others
// demand most.
func (s *levelState) fairShareOf(key flowKey) (flow, whole amount) {
	flow.least, whole.least = s.fairShares(key, func(a amount) float64 { return a.most })
	flow.most, whole.most = s.fairShares(key, func(a amount) float64 { return a.least })
	return flow, whole
}
