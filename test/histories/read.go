package histories

import "fmt"

// List is the answer to a list request.
type List struct {
	// NotBefore is the lowest version that the list may have.
	NotBefore int64
	// Version is the version of the list.
	Version int64
	Objects []Object
}

// CheckList returns an error if the history does not allow a list.
func (h *History) CheckList(l List) error {
	if l.Version < l.NotBefore {
		return fmt.Errorf("the list is of version %d and should be of %d or later", l.Version, l.NotBefore)
	}
	got := State{}
	for _, object := range l.Objects {
		if got.lookup(object.Name) != nil {
			return fmt.Errorf("the list of version %d has %s twice", l.Version, object.Name)
		}
		got[object.Name] = object
	}
	if difference := h.At(l.Version).difference(got); difference != "" {
		return fmt.Errorf("the list of version %d: %s", l.Version, difference)
	}
	return nil
}

// Read is the answer to a get request.
type Read struct {
	Name string
	// NotBefore is the lowest version that the answer may reflect.
	NotBefore int64
	// Object is the answer, nil if there was no object.
	Object *Object
}

// CheckRead returns an error if the history does not allow a read: the object must
// have had this state at some version not before NotBefore.
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
	return *a == *b
}
