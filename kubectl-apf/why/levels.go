package why

import (
	"cmp"
	"math"
	"slices"

	"k8s.io/utils/ptr"
)

// maxHeaviest is the number of heaviest flows of a level in a result.
const maxHeaviest = 5

// levelState is a level during the evidence.
type levelState struct {
	Level
	// keys are its flows and demands what they demand, in seat-seconds, in the order of
	// demands.
	keys    []flowKey
	demands []float64
	// wanted is the mean number of seats that each server was asked for; 0 if it is
	// unknown.
	wanted float64
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
		s.Used += a.used
		executed[key.level] += a.executed
	}
	for name, s := range states {
		meanUse := 0.0
		if executed[name] > 0 {
			meanUse = s.Used / float64(executed[name])
		}
		i.fillDemands(s, meanUse)
	}
	return states
}

func (i *Inquiry) newLevelState(name string) *levelState {
	s := &levelState{Level: Level{Name: name, Servers: i.query.Servers}}
	report, known := i.levels[name]
	if !known {
		i.unknownLevels[name] = true
	}
	s.Type, s.Nominal = report.Config.Discipline.String(), report.Limits.Nominal
	s.Limit = float64(s.Nominal)
	if i.observed == 0 {
		s.Servers = len(i.replicas)
	}
	s.metrics = i.meanMetrics(name)
	if s.Current = s.metrics.known; s.Current {
		s.Limit = float64(s.metrics.current)
	}
	s.Capacity = s.Limit * float64(s.Servers) * i.seconds()
	return s
}

// seconds returns the span of the uses.
func (i *Inquiry) seconds() float64 {
	if i.observed == 0 {
		return rememberedSpan.Seconds()
	}
	return i.until.Sub(i.since).Seconds()
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

// fillDemands fills what follows from the flows of the level.
func (i *Inquiry) fillDemands(s *levelState, meanUse float64) {
	demands := make(map[flowKey]float64, len(s.keys))
	for _, key := range s.keys {
		demands[key] = i.all[key].demand(meanUse)
	}
	slices.SortFunc(s.keys, func(a, b flowKey) int {
		return cmp.Or(cmp.Compare(demands[a], demands[b]), compareKeys(a, b))
	})
	sum := 0.0
	for _, key := range s.keys {
		demand := demands[key]
		s.demands = append(s.demands, demand)
		sum += demand
	}
	s.wanted = s.metrics.demand
	if !math.IsInf(sum, 1) {
		s.Demanded = &sum
		if seconds := i.seconds() * float64(s.Servers); seconds > 0 {
			s.wanted = max(s.wanted, sum/seconds)
		}
	}
	s.Flows = len(s.keys)
	byUse := slices.SortedFunc(slices.Values(s.keys), func(a, b flowKey) int {
		return cmp.Or(cmp.Compare(i.all[b].used, i.all[a].used), compareKeys(a, b))
	})
	s.Heaviest = []Use{}
	for _, key := range byUse[:min(maxHeaviest, len(byUse))] {
		s.Heaviest = append(s.Heaviest, Use{key.schema, key.distinguisher, i.all[key].used})
	}
}

func compareKeys(a, b flowKey) int {
	return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.schema, b.schema), cmp.Compare(a.distinguisher, b.distinguisher))
}

// fairShareOf returns the fair share of a flow of the level, in seat-seconds.
func (s *levelState) fairShareOf(key flowKey) float64 {
	return fairShare(s.Capacity, s.demands, slices.Index(s.keys, key))
}
