package histories

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/watch"
)

// Watch is one connection of a watcher: the request and its events.
type Watch struct {
	Select Selector
	// The watch starts after the version After.
	After int64
	// State is set if the watch starts with the state at After or later instead.
	State bool
	// Initial is set if the watch starts with the state, possibly an older one,
	// followed by a bookmark that is not before After.
	Initial bool
	// Events are the events until the connection ended.
	Events []Event
}

// CheckWatch returns an error if the history does not allow the events.
func (h *History) CheckWatch(w Watch) error {
	if err := checkClosing(w); err != nil {
		return err
	}
	if w.State || w.Initial {
		return h.checkFromState(w)
	}
	return follow(h.Events(w.After, w.Select), w.Events, w.After)
}

// checkClosing checks the bookmark that ends initial events: it is the first
// bookmark of a watch that requested them, and no other.
func checkClosing(w Watch) error {
	expected := w.Initial
	for _, event := range w.Events {
		if event.Type != watch.Bookmark {
			continue
		}
		if event.InitialEnd != expected {
			return fmt.Errorf("%v closes the initial events: %v, and must: %v", event, event.InitialEnd, expected)
		}
		if expected && event.Version < w.After {
			return fmt.Errorf("%v closes the initial events of a watch that asked for version %d at least", event, w.After)
		}
		expected = false
	}
	return nil
}

// follow checks that the events, which start after a version, are a prefix of the
// expected ones. A bookmark may not skip an expected event.
func follow(expected, events []Event, version int64) error {
	next := 0
	for _, event := range events {
		if event.Type == watch.Bookmark {
			switch {
			case event.Version < version:
				return fmt.Errorf("%v goes back behind version %d", event, version)
			case next < len(expected) && expected[next].Version <= event.Version:
				return fmt.Errorf("%v lies: %v has not come", event, expected[next])
			}
			version = event.Version
			continue
		}
		if next == len(expected) || !event.same(expected[next]) {
			return explain(expected, next, event)
		}
		version = event.Version
		next++
	}
	return nil
}

// explain describes how an event differs from the next expected one.
func explain(expected []Event, next int, event Event) error {
	switch {
	case slices.ContainsFunc(expected[:next], event.same):
		return fmt.Errorf("%v came again", event)
	case next == len(expected):
		return fmt.Errorf("%v never happened", event)
	case slices.ContainsFunc(expected[next:], event.same):
		return fmt.Errorf("%v was lost or overtaken: %v came in its place", expected[next], event)
	default:
		return fmt.Errorf("%v never happened: %v was to come", event, expected[next])
	}
}

// checkFromState searches for a version whose state, followed by the events after
// it, explains all events.
func (h *History) checkFromState(w Watch) error {
	best := errors.New("its beginning is no state of any version that it may begin with")
	state := h.after(0)
	for position := 0; ; position++ {
		if w.Initial || position == len(h.changes) || h.changes[position].Version > w.After {
			explained, err := h.explainsFrom(position, state.selected(w.Select), w)
			if explained && err == nil {
				return nil
			}
			if explained {
				best = err
			}
		}
		if position == len(h.changes) {
			return best
		}
		state.apply(h.changes[position])
	}
}

// explainsFrom reports whether the first events are the state after the first
// position changes. If so, it checks the remaining events.
func (h *History) explainsFrom(position int, state State, w Watch) (explained bool, err error) {
	told := State{}
	for i, event := range w.Events {
		if len(told) == len(state) {
			return true, follow(h.eventsFrom(position, w.Select), w.Events[i:], h.versionOf(position))
		}
		object, ok := state[event.Object.Name]
		if event.Type != watch.Added || !ok || !object.same(event.Object) || told.lookup(object.Name) != nil {
			return false, nil
		}
		told[object.Name] = object
	}
	return true, nil
}

// versionOf returns the lowest version that includes the first position changes.
func (h *History) versionOf(position int) int64 {
	if position == 0 {
		return h.version
	}
	return h.changes[position-1].Version
}
