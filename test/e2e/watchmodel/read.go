package watchmodel

import (
	"fmt"
)

// List is an answer to a list.
type List struct {
	Select Selector
	// NotBefore is the version that the list had to know at least; for an exact
	// list it is the one that it had to be of.
	NotBefore int64
	Exact     bool
	// Version is that of the list.
	Version int64
	Objects []Object
}

// CheckList tells what is wrong with a list, nil if nothing.
func (h *History) CheckList(l List) error {
	switch {
	case l.Version < l.NotBefore:
		return fmt.Errorf("the list is of version %d and should be of %d or later", l.Version, l.NotBefore)
	case l.Exact && l.Version != l.NotBefore:
		return fmt.Errorf("the list is of version %d and should be exactly of %d", l.Version, l.NotBefore)
	}
	got := State{}
	for _, object := range l.Objects {
		if got.lookup(object.Name) != nil {
			return fmt.Errorf("the list of version %d has %s twice", l.Version, object.Name)
		}
		got[object.Name] = object
	}
	if difference := h.At(l.Version).selected(l.Select).difference(got); difference != "" {
		return fmt.Errorf("the list of version %d: %s", l.Version, difference)
	}
	return nil
}

// Read is an answer to a get.
type Read struct {
	Name string
	// NotBefore is the version that the answer had to know at least.
	NotBefore int64
	// Object is the answer, nil if there was no object.
	Object *Object
}

// CheckRead tells what is wrong with a read, nil if nothing: the object must have
// been so at some version that is not before the one asked for.
func (h *History) CheckRead(r Read) error {
	now := h.At(r.NotBefore).lookup(r.Name)
	if equal(now, r.Object) {
		return nil
	}
	for _, change := range h.changes[h.position(r.NotBefore):] {
		if change.Name == r.Name && equal(change.Object, r.Object) {
			return nil
		}
	}
	return fmt.Errorf("%s was read as %v, which it never was from version %d on; then it was %v", r.Name, r.Object, r.NotBefore, now)
}

func equal(a, b *Object) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.same(*b)
}
