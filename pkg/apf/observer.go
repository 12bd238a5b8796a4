package apf

import (
	"math"

	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// notableChange is the change of a current limit, as a part of it, that is logged at
// verbosity 2.
const notableChange = 0.05

// observer logs what changes in an engine, at the verbosities of k8s.io/apiserver, and
// tells the library, which counts requests as fractions of the engine's capacity, what that is.
type observer struct {
	divided map[string]limits // by level, after the last division
}

// limits are the limits of a level.
type limits struct {
	allocation.Limits
	current int
}

var _ engine.Observer = (*observer)(nil)

func newObserver() *observer { return &observer{divided: map[string]limits{}} }

// LevelChanged implements engine.Observer.
func (o *observer) LevelChanged(level engine.LevelConfig, change engine.LevelChange) {
	log := klog.V(levelVerbosity(change))
	if !log.Enabled() {
		return
	}
	log.InfoS("Priority level configured", "priorityLevel", level.Name, "change", change, "type", level.Discipline,
		"shares", level.Shares, "queues", level.Queues, "handSize", level.HandSize, "queueLengthLimit", level.QueueLengthLimit)
}

func levelVerbosity(change engine.LevelChange) klog.Level {
	switch change {
	case engine.Added, engine.Reconfigured:
		return 2
	case engine.Retained:
		return 5
	default:
		return 3
	}
}

// Divided implements engine.Observer.
func (o *observer) Divided(d engine.Division) {
	divided := make(map[string]limits, len(d.Levels))
	for i := range d.Levels {
		level := &d.Levels[i]
		now := limits{level.Claim.Limits, level.Seats.Current}
		o.logLimits(d, level, verbosity(o.divided[level.Config.Name], now))
		divided[level.Config.Name] = now
	}
	o.divided = divided
	waiting, seats := d.Capacity()
	setDenominators(float64(waiting), float64(seats))
}

// verbosity returns the verbosity of the log line about a change of a level's limits.
func verbosity(former, now limits) klog.Level {
	change := math.Abs(float64(now.current - former.current))
	if former.Limits != now.Limits || change > 0 && change >= notableChange*float64(max(former.current, now.current)) {
		return 2
	}
	return 4
}

func (o *observer) logLimits(d engine.Division, level *engine.LevelDivision, v klog.Level) {
	log := klog.V(v)
	if !log.Enabled() {
		return
	}
	claim := &level.Claim
	log.InfoS("Limits of a priority level computed", "priorityLevel", level.Config.Name,
		"currentLimit", level.Seats.Current, "nominalLimit", claim.Nominal, "lowerLimit", claim.Lower, "upperLimit", claim.Upper,
		"seatDemandHighWatermark", claim.HighWatermark, "seatDemandSmoothed", claim.Smoothed, "target", level.Seats.Target,
		"fairFraction", d.FairFraction, "totalSeats", d.Total)
}

// Applied implements engine.Observer.
func (o *observer) Applied(schemas []*rules.Schema, dangling []rules.Schema) {
	if log := klog.V(5); log.Enabled() {
		log.InfoS("Configuration of flow control applied", "flowSchemas", len(schemas), "danglingFlowSchemas", len(dangling))
		for i := range schemas {
			log.InfoS("Flow schema is in effect", "flowSchema", schemas[i].Name, "matchingPrecedence", schemas[i].Precedence, "priorityLevel", schemas[i].Level)
		}
	}
	if log := klog.V(6); log.Enabled() {
		for i := range dangling {
			log.InfoS("Flow schema is ignored because its priority level does not exist", "flowSchema", dangling[i].Name, "priorityLevel", dangling[i].Level)
		}
	}
}

// setDenominators tells the library's metric read_vs_write_current_requests how many
// requests may wait and how many seats there are. The library's filter counts in fractions
// of them. The metric is one for the process.
func setDenominators(waiting, executing float64) {
	metrics.GetWaitingReadonlyConcurrency().SetDenominator(max(waiting, 1))
	metrics.GetWaitingMutatingConcurrency().SetDenominator(max(waiting, 1))
	metrics.GetExecutingReadonlyConcurrency().SetDenominator(max(executing, 1))
	metrics.GetExecutingMutatingConcurrency().SetDenominator(max(executing, 1))
}
