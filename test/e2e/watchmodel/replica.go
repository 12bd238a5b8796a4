package watchmodel

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/watch"
)

// Replica is the collection as a client knows it from a list and the events
// after it, across reconnections. It holds what any client may rely on without
// knowing the truth: only unknown objects are added, only known ones changed or
// deleted, and versions rise.
type Replica struct {
	state   State
	version int64
	// initial tells that the state is still coming, in no order.
	initial bool
}

// NewReplica is a replica of a list.
func NewReplica(version int64, objects []Object) *Replica {
	r := &Replica{state: State{}, version: version}
	for _, object := range objects {
		r.state[object.Name] = object
	}
	return r
}

// NewInitialReplica is an empty replica that initial events will fill until the
// bookmark that closes them.
func NewInitialReplica() *Replica { return &Replica{state: State{}, initial: true} }

// Version is the last version seen: a watch may go on from it. It is of no use
// while Complete is false.
func (r *Replica) Version() int64 { return r.version }

// Complete tells whether the state has come.
func (r *Replica) Complete() bool { return !r.initial }

// Objects are the objects known, by name.
func (r *Replica) Objects() []Object {
	return slices.SortedFunc(maps.Values(r.state), func(a, b Object) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
}

// Compare tells how the replica departs from what was listed at its version.
func (r *Replica) Compare(objects []Object) error {
	listed := NewReplica(r.version, objects).state
	if difference := listed.difference(r.state); difference != "" {
		return fmt.Errorf("the state built from events up to version %d is not the list: %s", r.version, difference)
	}
	return nil
}

// Apply takes an event in, and tells what is wrong with it.
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

// remaining is what is left of the object after the event.
func remaining(event Event) *Object {
	if event.Type == watch.Deleted {
		return nil
	}
	return &event.Object
}
