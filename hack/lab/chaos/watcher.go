package chaos

import (
	"fmt"
	"maps"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/histories"
)

// Watcher is what a client saw that lists, watches, and reconnects, to any server.
type Watcher struct {
	Name, Resource string
	Lists          []histories.List
	Watches        []histories.Watch
	// Replica is its copy of the objects at the end.
	Replica *histories.Replica
	// Faults are what the replica could not have been told.
	Faults []error
}

// Events returns the number of events seen.
func (w *Watcher) Events() (count int) {
	for _, watch := range w.Watches {
		count += len(watch.Events)
	}
	return count
}

// CheckWatchers compares what watchers saw with the history of each resource: no event
// is missing, doubled or out of order, within a connection and from one to the next.
func CheckWatchers(watchers []*Watcher, histories map[string]*histories.History) (errs []error) {
	for _, w := range watchers {
		history := histories[w.Resource]
		report := func(err error) {
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", w.Name, err))
			}
		}
		for _, err := range w.Faults {
			report(err)
		}
		for _, list := range w.Lists {
			report(history.CheckList(list))
		}
		for _, watch := range w.Watches {
			report(history.CheckWatch(watch))
		}
		report(checkEnd(w.Replica, history))
	}
	return errs
}

// checkEnd compares a watcher's copy with the truth.
func checkEnd(replica *histories.Replica, history *histories.History) error {
	switch {
	case replica == nil:
		return fmt.Errorf("it ended without a copy of the objects")
	case replica.Version() < history.Last():
		return fmt.Errorf("it ended at version %d, before the last change, of version %d", replica.Version(), history.Last())
	}
	return replica.Compare(slices.Collect(maps.Values(history.At(replica.Version()))))
}
