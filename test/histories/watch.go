package histories

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/watch"
)

// Watch is one connection of a watcher: the request and its events.
type Watch struct {
	// The watch starts after the version After.
	After int64
	// Events are the events until the connection ended.
	Events []Event
}

// CheckWatch returns an error if the history does not allow the events.
func (h *History) CheckWatch(w Watch) error { return follow(h.Events(w.After), w.Events, w.After) }

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
		if next == len(expected) || event != expected[next] {
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
	case slices.Contains(expected[:next], event):
		return fmt.Errorf("%v came again", event)
	case next == len(expected):
		return fmt.Errorf("%v never happened", event)
	case slices.Contains(expected[next:], event):
		return fmt.Errorf("%v was lost or overtaken: %v came in its place", expected[next], event)
	default:
		return fmt.Errorf("%v never happened: %v was to come", event, expected[next])
	}
}
