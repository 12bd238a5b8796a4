package histories

import (
	"fmt"

	"k8s.io/apimachinery/pkg/watch"
)

// Replica is a client's copy of the collection, built from a list and subsequent
// events, across reconnections. It checks what any client may rely on without the
// true history: events add only unknown objects, change or delete only known ones,
// and versions increase.
type Replica struct {
	state   State
	version int64
}

// NewReplica returns a replica of a list.
func NewReplica(version int64, objects []Object) *Replica {
	r := &Replica{state: State{}, version: version}
	for _, object := range objects {
		r.state[object.Name] = object
	}
	return r
}

// Version returns the last version seen. A watch may continue from it.
func (r *Replica) Version() int64 { return r.version }

// Compare returns an error if the replica differs from a list at its version.
func (r *Replica) Compare(objects []Object) error {
	listed := NewReplica(r.version, objects).state
	if difference := listed.difference(r.state); difference != "" {
		return fmt.Errorf("the state built from events up to version %d is not the list: %s", r.version, difference)
	}
	return nil
}

// Apply applies an event, and returns an error if the event is invalid.
func (r *Replica) Apply(event Event) error {
	if event.Version < r.version || event.Version == r.version && event.Type != watch.Bookmark {
		return fmt.Errorf("%v comes after version %d", event, r.version)
	}
	known := r.state.lookup(event.Object.Name)
	switch event.Type {
	case watch.Bookmark:
		r.version = event.Version
		return nil
	case watch.Added:
		if known != nil {
			return fmt.Errorf("%v: %v is known", event, *known)
		}
		r.state[event.Object.Name] = event.Object
	case watch.Modified, watch.Deleted:
		if known == nil {
			return fmt.Errorf("%v: it is not known", event)
		}
		r.state.apply(Change{Name: event.Object.Name, Object: remaining(event)})
	default:
		return fmt.Errorf("%v is no event of a watch", event)
	}
	r.version = event.Version
	return nil
}

// remaining returns the object after the event, nil if it was deleted.
func remaining(event Event) *Object {
	if event.Type == watch.Deleted {
		return nil
	}
	return &event.Object
}
