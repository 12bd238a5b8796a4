package histories

import (
	"fmt"
	"maps"
	"sort"

	"k8s.io/apimachinery/pkg/watch"
)

// Object is an object at one version.
type Object struct {
	Name string
	// Version is the version of the write that produced the object. In a DELETED
	// event it is the version of the change that removed the object.
	Version int64
	// Content represents everything but the version: objects with equal contents are
	// equal.
	Content string
}

func (o Object) String() string { return fmt.Sprintf("%s@%d(%.8s)", o.Name, o.Version, o.Content) }

// Change is the effect of one write on one object.
type Change struct {
	Version int64
	Name    string
	// Object is the object after the write, nil if it was deleted.
	Object *Object
}

// State holds the objects of one version by name.
type State map[string]Object

// apply applies a change.
func (s State) apply(change Change) {
	if change.Object == nil {
		delete(s, change.Name)
		return
	}
	s[change.Name] = *change.Object
}

// lookup returns the object with that name, nil if there is none.
func (s State) lookup(name string) *Object {
	if object, ok := s[name]; ok {
		return &object
	}
	return nil
}

// difference describes a difference of got from s, "" if there is none.
func (s State) difference(got State) string {
	for name, want := range s {
		object, ok := got[name]
		switch {
		case !ok:
			return fmt.Sprintf("%v is missing", want)
		case object != want:
			return fmt.Sprintf("%v should be %v", object, want)
		}
	}
	for name, object := range got {
		if _, ok := s[name]; !ok {
			return fmt.Sprintf("%v should not be there", object)
		}
	}
	return ""
}

// History is the true history of a collection.
type History struct {
	version int64 // of the first state
	first   State
	changes []Change
}

// NewHistory starts a history with the state at a version.
func NewHistory(version int64, objects ...Object) *History {
	first := State{}
	for _, object := range objects {
		first[object.Name] = object
	}
	return &History{version: version, first: first}
}

// Append adds a change, whose version must be higher than every earlier one.
func (h *History) Append(change Change) error {
	if last := h.Last(); change.Version <= last {
		return fmt.Errorf("a change of version %d cannot follow version %d", change.Version, last)
	}
	h.changes = append(h.changes, change)
	return nil
}

// Last returns the version of the last change.
func (h *History) Last() int64 {
	if len(h.changes) == 0 {
		return h.version
	}
	return h.changes[len(h.changes)-1].Version
}

// At returns the state at a version; the first state for earlier versions.
func (h *History) At(version int64) State {
	return h.after(h.position(version))
}

// position returns the number of changes up to a version.
func (h *History) position(version int64) int {
	return sort.Search(len(h.changes), func(i int) bool { return h.changes[i].Version > version })
}

// after returns the state after the first position changes.
func (h *History) after(position int) State {
	state := maps.Clone(h.first)
	for _, change := range h.changes[:position] {
		state.apply(change)
	}
	return state
}

// Event is an event of a watch.
type Event struct {
	Type    watch.EventType
	Version int64
	// Object is empty in a bookmark.
	Object Object
}

func (e Event) String() string {
	if e.Type == watch.Bookmark {
		return fmt.Sprintf("BOOKMARK@%d", e.Version)
	}
	return fmt.Sprintf("%s %v", e.Type, e.Object)
}

// Events returns the events of a watch after a version.
func (h *History) Events(version int64) []Event {
	var events []Event
	position := h.position(version)
	state := h.after(position)
	for _, change := range h.changes[position:] {
		event := Event{Version: change.Version}
		switch before := state.lookup(change.Name); {
		case change.Object != nil && before != nil:
			event.Type, event.Object = watch.Modified, *change.Object
		case change.Object != nil:
			event.Type, event.Object = watch.Added, *change.Object
		case before != nil:
			event.Type, event.Object = watch.Deleted, *before
			event.Object.Version = change.Version
		}
		events = append(events, event)
		state.apply(change)
	}
	return events
}
