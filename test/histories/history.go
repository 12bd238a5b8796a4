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
	// Labels are used by selectors.
	Labels map[string]string
}

func (o Object) String() string { return fmt.Sprintf("%s@%d(%.8s)", o.Name, o.Version, o.Content) }

// same reports whether two objects are equal; the content includes the labels.
func (o Object) same(other Object) bool {
	return o.Name == other.Name && o.Version == other.Version && o.Content == other.Content
}

// Selector reports whether a watcher or a list selects an object; nil selects all.
type Selector func(Object) bool

func (s Selector) matches(object *Object) bool { return object != nil && (s == nil || s(*object)) }

// Change is the effect of one write on one object.
type Change struct {
	Version int64
	Name    string
	// Object is the object after the write, nil if it was deleted.
	Object *Object
}

// State holds the objects of one version by name.
type State map[string]Object

// selected returns the objects that the selector selects.
func (s State) selected(selector Selector) State {
	selection := State{}
	for name, object := range s {
		if selector.matches(&object) {
			selection[name] = object
		}
	}
	return selection
}

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
		case !object.same(want):
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

// Len returns the number of changes.
func (h *History) Len() int { return len(h.changes) }

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
	// InitialEnd marks the bookmark that closes the initial events.
	InitialEnd bool
}

func (e Event) String() string {
	if e.Type == watch.Bookmark {
		return fmt.Sprintf("BOOKMARK@%d", e.Version)
	}
	return fmt.Sprintf("%s %v", e.Type, e.Object)
}

func (e Event) same(other Event) bool {
	return e.Type == other.Type && e.Version == other.Version && e.Object.same(other.Object)
}

// Events returns the events of a watch after a version.
func (h *History) Events(version int64, selector Selector) []Event {
	return h.eventsFrom(h.position(version), selector)
}

func (h *History) eventsFrom(position int, selector Selector) []Event {
	var events []Event
	state := h.after(position)
	for _, change := range h.changes[position:] {
		if event, ok := eventOf(change, state.lookup(change.Name), selector); ok {
			events = append(events, event)
		}
		state.apply(change)
	}
	return events
}

// eventOf implements the table of the package comment.
func eventOf(change Change, before *Object, selector Selector) (event Event, ok bool) {
	matched, matches := selector.matches(before), selector.matches(change.Object)
	event.Version = change.Version
	switch {
	case matches && matched:
		event.Type, event.Object = watch.Modified, *change.Object
	case matches:
		event.Type, event.Object = watch.Added, *change.Object
	case matched:
		event.Type, event.Object = watch.Deleted, *before
		event.Object.Version = change.Version
	default:
		return Event{}, false
	}
	return event, true
}
