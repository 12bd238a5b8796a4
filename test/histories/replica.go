package histories

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/watch"
)

// Replica is a client's copy of the collection, built from a list and subsequent
// events, across reconnections. It checks what any client may rely on without the
// true history: events add only unknown objects, change or delete only known ones,
// and versions increase.
type Replica struct {
	state   State
	version int64
	// initial is set while the initial state is incomplete. Its events have no
	// order.
	initial bool
}

// NewReplica returns a replica of a list.
func NewReplica(version int64, objects []Object) *Replica {
	r := &Replica{state: State{}, version: version}
	for _, object := range objects {
		r.state[object.Name] = object
	}
	return r
}

// NewInitialReplica returns an empty replica. Initial events fill it until the
// bookmark that ends them.
func NewInitialReplica() *Replica { return &Replica{state: State{}, initial: true} }

// Version returns the last version seen. A watch may continue from it. It is invalid while Complete
// is false.
func (r *Replica) Version() int64 { return r.version }

// Complete reports whether the initial state is complete.
func (r *Replica) Complete() bool { return !r.initial }

// Objects returns the known objects, sorted by name.
func (r *Replica) Objects() []Object {
	return slices.SortedFunc(maps.Values(r.state), func(a, b Object) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
}

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
	if err := r.checkVersion(event); err != nil {
		return err
	}
	known := r.state.lookup(event.Object.Name)
	switch event.Type {
	case watch.Bookmark:
		r.initial = r.initial && !event.InitialEnd
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
		if known.Version >= event.Version {
			return fmt.Errorf("%v: %v is known", event, *known)
		}
		r.state.apply(Change{Name: event.Object.Name, Object: remaining(event)})
	default:
		return fmt.Errorf("%v is no event of a watch", event)
	}
	if !r.initial {
		r.version = event.Version
	}
	return nil
}

func (r *Replica) checkVersion(event Event) error {
	switch {
	case r.initial:
		return nil
	case event.Type == watch.Bookmark && event.Version < r.version, event.Type != watch.Bookmark && event.Version <= r.version:
		return fmt.Errorf("%v comes after version %d", event, r.version)
	}
	return nil
}

// remaining returns the object after the event, nil if it was deleted.
func remaining(event Event) *Object {
	if event.Type == watch.Deleted {
		return nil
	}
	return &event.Object
}
