package configuration

import (
	"fmt"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// Limits are the nominal limit of a priority level and the bounds of the current one, in seats.
type Limits struct {
	Nominal int `json:"nominal"`
	Lower   int `json:"lower"`
	Upper   int `json:"upper"`
}

// InForce is a configuration that the engine of an idle server enforces.
type InForce struct {
	*engine.Engine
	// Levels are the priority levels, by name.
	Levels map[string]engine.LevelReport
	// Notes are sentences about the objects that have no effect.
	Notes []string
}

// InForce enforces the configuration. now is the engine's time.
func (c Configuration) InForce(now time.Time) *InForce {
	e, problems := c.Engine(now)
	f := &InForce{Engine: e, Levels: map[string]engine.LevelReport{}}
	for _, level := range e.Report().Levels {
		f.Levels[level.Config.Name] = level
	}
	for _, p := range problems {
		f.Notes = append(f.Notes, fmt.Sprintf("%s %q is invalid and has no effect: %v.", p.Kind, p.Name, p.Err))
	}
	return f
}

// Hand returns the queues that a flow may use, in the order of dealing; none on a level without queues. With
// pkg/apf, where a flow has a queue of its own, it is the number that dumps show it by.
func (f *InForce) Hand(level string, hash flow.Hash, byFlow bool) []int {
	config := f.Levels[level].Config
	dealer, err := flow.NewDealer(config.Queues, config.HandSize)
	if config.Discipline != queueset.Queue || err != nil { // the engine accepted the level
		return []int{}
	}
	hand := dealer.Deal(hash, []int{})
	if byFlow {
		return hand[:1]
	}
	return hand
}

// Classify returns the flow schema of a request.
func (f *InForce) Classify(a *flow.Attributes) *rules.Schema {
	r := f.Begin()
	defer r.End()
	r.Attributes = *a
	r.Classify()
	return r.Schema()
}
