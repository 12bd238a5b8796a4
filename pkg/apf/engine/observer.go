package engine

import (
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// Observer is told what changes in an Engine, one call at a time and in the order of the
// changes. New calls it too.
//
// The Engine is locked during a call: an Observer must not use it, nor wait for what does. It must not
// change what it is given.
type Observer interface {
	// LevelChanged is called for each priority level at each Apply, and when a
	// level has drained.
	LevelChanged(level LevelConfig, change LevelChange)
	// Divided is called after each division of the seats: at each Apply, Rebalance and
	// change of the total, and when a level has drained.
	Divided(division Division)
	// Applied is called last at each Apply, with the flow schemas that take effect, in
	// matching order, and those without a priority level, which do not.
	Applied(schemas []*rules.Schema, dangling []rules.Schema)
}

// LevelChange is what happened to a priority level.
type LevelChange string

// The changes.
const (
	// Added means that the level is new.
	Added LevelChange = "added"
	// Retained means that the level keeps its queues.
	Retained LevelChange = "retained"
	// Reconfigured means that the level has other queues now.
	Reconfigured LevelChange = "reconfigured"
	// Supplied means that a mandatory level was not configured, so that its built-in
	// form takes effect.
	Supplied LevelChange = "supplied"
	// Quiescing means that the level was removed while it had requests.
	Quiescing LevelChange = "quiescing"
	// Resumed means that a quiescing level was configured again.
	Resumed LevelChange = "resumed"
	// Removed means that the level was removed, and has no requests.
	Removed LevelChange = "removed"
)

// deaf is the Observer of an Engine without one.
type deaf struct{}

func (deaf) LevelChanged(LevelConfig, LevelChange)   {}
func (deaf) Divided(Division)                        {}
func (deaf) Applied([]*rules.Schema, []rules.Schema) {}

// Division is a division of the seats.
type Division struct {
	// Total is the number of seats of the server.
	Total int
	// FairFraction is f of package allocation.
	FairFraction float64
	// Levels are all levels, by name.
	Levels []LevelDivision
}

// Capacity returns how many requests may wait in all queues, and the sum of the nominal
// limits in seats. Levels that quiesce count.
func (d Division) Capacity() (waiting, seats int) {
	for i := range d.Levels {
		waiting += d.Levels[i].Config.WaitingCapacity()
		seats += d.Levels[i].Claim.Nominal
	}
	return waiting, seats
}

// LevelDivision is the part of one level in a Division.
type LevelDivision struct {
	Config LevelConfig
	// Claim has the limits and the demand that determined the current limit.
	Claim allocation.Level
	Seats LevelSeats
}
