//go:build k8s0.37

package flowcontrol

import "context"

// Since k8s.io 0.37 these methods have a context. They move into strategy.go when go.mod
// requires it.

// AllowCreateOnUpdate returns false: a PUT does not create.
func (specStrategy[T]) AllowCreateOnUpdate(context.Context) bool { return false }

// AllowUnconditionalUpdate returns true: an update may omit the resourceVersion.
func (specStrategy[T]) AllowUnconditionalUpdate(context.Context) bool { return true }
