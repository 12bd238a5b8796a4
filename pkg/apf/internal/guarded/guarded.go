// Package guarded holds state that is reachable only while its lock is held:
// code that forgets the lock does not compile.
package guarded

import "sync"

// Value is a T and the mutex that guards it. Lock returns a handle to the T,
// and Unlock takes the handle back. The zero Value holds a zero T and is
// unlocked. A Value must not be copied after its first use.
type Value[T any] struct {
	mu    sync.Mutex // guards state
	state T
}

// Lock locks v and returns the handle, which is valid until Unlock.
func (v *Value[T]) Lock() *T {
	v.mu.Lock()
	return &v.state
}

// TryLock returns the handle if v is unlocked, and nil otherwise.
func (v *Value[T]) TryLock() *T {
	if !v.mu.TryLock() {
		return nil
	}
	return &v.state
}

// Unlock sets the handle that Lock or TryLock returned to nil and unlocks v.
// Use of that variable panics from then on. Copies of the handle are not taken back:
// make none.
func (v *Value[T]) Unlock(handle **T) {
	*handle = nil
	v.mu.Unlock()
}
