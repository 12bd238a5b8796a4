package filter

import (
	"sync"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// MaxVacant is how many lists of one flow exchange seats at once: as many as can wait in its
// queues by default. While they wait for each other's reads they have no seats, and no place in
// a queue, so nothing else bounds them.
const MaxVacant = 6 * 50

// vacant counts the lists of each flow and of each level that exchange seats.
type vacant struct {
	mu     sync.Mutex // guards what follows
	lists  map[flowID]int
	levels map[string]int
}

// flowID identifies a flow.
type flowID struct{ level, schema, flow string }

func flowOf(r *engine.Request) flowID { return flowID{r.Level().Name, r.Schema().Name, r.Flow} }

// mostOf returns how many lists of a level exchange seats at once: as many as may wait there, and no less than
// one flow may. A client may have many names.
func mostOf(r *engine.Request) int { return max(MaxVacant, r.Level().WaitingCapacity()) }

// add counts a list, unless there are too many of its flow, or most of its level.
func (v *vacant) add(of flowID, most int) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.lists[of] >= MaxVacant || v.levels[of.level] >= most {
		return false
	}
	if v.lists == nil {
		v.lists, v.levels = map[flowID]int{}, map[string]int{}
	}
	v.lists[of]++
	v.levels[of.level]++
	return true
}

func (v *vacant) remove(of flowID) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.lists[of]--; v.lists[of] == 0 {
		delete(v.lists, of)
	}
	if v.levels[of.level]--; v.levels[of.level] == 0 {
		delete(v.levels, of.level)
	}
}
