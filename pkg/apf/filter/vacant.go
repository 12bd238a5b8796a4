package filter

import (
	"sync"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// MaxVacant is how many lists of one flow exchange seats at once: as many as can wait in its
// queues by default. While they wait for each other's reads they have no seats, and no place in
// a queue, so nothing else bounds them.
const MaxVacant = 6 * 50

// vacant counts the lists of each flow that exchange seats.
type vacant struct {
	mu    sync.Mutex // guards lists
	lists map[flowID]int
}

// flowID identifies a flow.
type flowID struct{ level, schema, flow string }

func flowOf(r *engine.Request) flowID { return flowID{r.Level().Name, r.Schema().Name, r.Flow} }

// add counts a list, unless there are too many.
func (v *vacant) add(of flowID) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.lists[of] >= MaxVacant {
		return false
	}
	if v.lists == nil {
		v.lists = map[flowID]int{}
	}
	v.lists[of]++
	return true
}

func (v *vacant) remove(of flowID) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.lists[of]--; v.lists[of] == 0 {
		delete(v.lists, of)
	}
}
