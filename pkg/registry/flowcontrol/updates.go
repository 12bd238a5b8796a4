//go:build !k8s0.37

package flowcontrol

// In k8s.io 0.37 these methods have a context. This file can go when go.mod requires it.

// AllowCreateOnUpdate returns false: a PUT does not create.
func (specStrategy[T]) AllowCreateOnUpdate() bool { return false }

// AllowUnconditionalUpdate returns true: an update may omit the resourceVersion.
func (specStrategy[T]) AllowUnconditionalUpdate() bool { return true }
