package bootstrap

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

const (
	// fieldManager is kube-apiserver's, so that both servers own the fields
	// together if they share a store.
	fieldManager = "api-priority-and-fairness-config-producer-v1"

	// maxWriters bounds the concurrent writes.
	maxWriters = 8

	// maxAttempts bounds the attempts at one object in one pass.
	maxAttempts = 4
)

// ensurer ensures the built-in objects of one kind.
type ensurer[T object[T]] struct {
	kind[T]
	builtIn   sets.Set[string]
	readiness *readiness
	metrics   metrics
	reporter  Reporter
	logger    klog.Logger
}

func newEnsurer[T object[T]](kind kind[T], readiness *readiness, metrics metrics, reporter Reporter, logger klog.Logger) ensurer[T] {
	e := ensurer[T]{kind: kind, builtIn: sets.New[string](), readiness: readiness, metrics: metrics, reporter: reporter, logger: logger.WithValues("kind", kind.name)}
	for _, objects := range [][]T{kind.mandatory, kind.suggested} {
		for _, object := range objects {
			e.builtIn.Insert(object.GetName())
			readiness.lacks(kind.name, object.GetName())
			metrics.expect(kind.name, object.GetName())
		}
	}
	return e
}

// ensureAll ensures the built-in objects, the mandatory ones first, and returns
// the obsolete objects.
func (e ensurer[T]) ensureAll(ctx context.Context) (obsolete []T, err error) {
	stored, err := e.list(labels.Everything())
	if err != nil {
		return nil, fmt.Errorf("list %ss: %w", e.name, err)
	}
	byName := make(map[string]T, e.builtIn.Len())
	for _, object := range stored {
		if e.builtIn.Has(object.GetName()) {
			byName[object.GetName()] = object
		}
		if e.isObsolete(object) {
			obsolete = append(obsolete, object)
		}
	}
	ensureEach := func(role role, builtIns []T) error {
		return forEach(ctx, builtIns, func(builtIn T) error {
			stored, exists := byName[builtIn.GetName()]
			err := e.retryOnConflict(ctx, builtIn.GetName(), stored, exists, func(stored T, exists bool) error {
				return e.ensure(ctx, role, builtIn, stored, exists)
			})
			if !exists {
				stored = builtIn
			}
			e.report(ctx, stored, err)
			return err
		})
	}
	return obsolete, errors.Join(ensureEach(mandatory, e.mandatory), ensureEach(suggested, e.suggested))
}

// report says whether an object is ensured. A pass that was interrupted says nothing.
func (e ensurer[T]) report(ctx context.Context, object T, err error) {
	name := object.GetName()
	switch {
	case err == nil:
		e.readiness.ensured(e.name, name)
	case ctx.Err() != nil:
		return
	default:
		e.readiness.lacks(e.name, name)
		e.reporter.Failed(e.name, object, err)
	}
	e.metrics.look(e.name, name, err == nil)
}

// ensure creates the built-in object or updates the stored one if necessary.
func (e ensurer[T]) ensure(ctx context.Context, role role, builtIn, stored T, exists bool) error {
	if !exists {
		return e.create(ctx, role, builtIn)
	}
	if revision := revise(role, stored, builtIn, e.restore); revision.needed() {
		return e.update(ctx, role, revision)
	}
	return nil
}

// remove deletes obsolete objects.
func (e ensurer[T]) remove(ctx context.Context, obsolete []T) error {
	return forEach(ctx, obsolete, func(object T) error {
		return e.retryOnConflict(ctx, object.GetName(), object, true, func(stored T, exists bool) error {
			if !exists || !e.isObsolete(stored) {
				return nil
			}
			return e.delete(ctx, stored)
		})
	})
}

func (e ensurer[T]) isObsolete(stored T) bool {
	return !e.builtIn.Has(stored.GetName()) && lint.IsObsolete(stored)
}

// retryOnConflict calls act with the object. If the object has changed meanwhile,
// it reads the object and calls act again.
func (e ensurer[T]) retryOnConflict(ctx context.Context, name string, stored T, exists bool, act func(stored T, exists bool) error) error {
	for attempt := 1; ; attempt++ {
		err := act(stored, exists)
		switch {
		case err == nil:
			return nil
		case !hasChanged(err):
			return fmt.Errorf("%s %q: %w", e.name, name, err)
		case attempt == maxAttempts:
			return fmt.Errorf("%s %q: conflict on each of %d attempts: %w", e.name, name, maxAttempts, err)
		}
		stored, err = e.client.Get(ctx, name, metav1.GetOptions{})
		exists = err == nil
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("%s %q: get after a conflict: %w", e.name, name, err)
		}
	}
}

// hasChanged reports whether a write failed because the object has changed since
// it was read.
func hasChanged(err error) bool {
	return apierrors.IsAlreadyExists(err) || apierrors.IsConflict(err) || apierrors.IsNotFound(err)
}

// Writes that may undo a user's intent are always logged, other writes at level 2.

func (e ensurer[T]) create(ctx context.Context, role role, builtIn T) error {
	object, err := e.client.Create(ctx, builtIn.DeepCopy(), metav1.CreateOptions{FieldManager: fieldManager})
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	if e.readiness.hasEnsured(e.name, builtIn.GetName()) { // it was there before
		e.reporter.Recreated(e.name, object)
	}
	e.metrics.count(e.name, builtIn.GetName(), created)
	e.logger.V(2).Info("Created a built-in object", "name", builtIn.GetName(), "role", role)
	return nil
}

func (e ensurer[T]) update(ctx context.Context, role role, revision revision[T]) error {
	if _, err := e.client.Update(ctx, revision.object, metav1.UpdateOptions{FieldManager: fieldManager}); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	name := revision.object.GetName()
	if revision.restored {
		e.metrics.count(e.name, name, restored)
		e.reporter.Restored(e.name, revision.object)
		e.logger.Info("Restored the spec of a built-in object", "name", name, "role", role)
	} else {
		e.metrics.count(e.name, name, annotated)
		e.logger.V(2).Info("Updated the autoupdate-spec annotation of a built-in object", "name", name, "role", role, "autoUpdate", revision.serverOwned)
	}
	return nil
}

func (e ensurer[T]) delete(ctx context.Context, obsolete T) error {
	err := e.client.Delete(ctx, obsolete.GetName(), metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{
			UID:             new(obsolete.GetUID()),
			ResourceVersion: new(obsolete.GetResourceVersion()),
		},
	})
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	e.metrics.count(e.name, obsolete.GetName(), deleted)
	e.logger.Info("Deleted an object that is no longer built in", "name", obsolete.GetName())
	return nil
}

// forEach calls do with each object, maxWriters at a time, and joins the errors.
// It skips the rest when ctx is done and then returns the error of ctx too.
func forEach[T any](ctx context.Context, objects []T, do func(T) error) error {
	errs := make([]error, len(objects))
	workqueue.ParallelizeUntil(ctx, maxWriters, len(objects), func(i int) { errs[i] = do(objects[i]) })
	return errors.Join(errors.Join(errs...), ctx.Err())
}
