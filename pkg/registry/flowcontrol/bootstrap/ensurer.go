package bootstrap

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

const (
	// pageSize bounds a page where a list comes from etcd.
	pageSize = 500

	// writers bounds the writes under way at once.
	writers = 8

	// attempts bounds how often one pass decides about one object that others
	// keep changing.
	attempts = 4
)

// keeping moves data between the decisions and the API, for one kind.
type keeping[T object[T]] struct {
	kind[T]
	builtIn   sets.Set[string]
	readiness *readiness
	logger    klog.Logger
}

func newKeeping[T object[T]](kind kind[T], readiness *readiness, logger klog.Logger) keeping[T] {
	k := keeping[T]{kind: kind, builtIn: sets.New[string](), readiness: readiness, logger: logger.WithValues("kind", kind.name)}
	for _, objects := range [][]T{kind.mandatory, kind.suggested} {
		for _, object := range objects {
			k.builtIn.Insert(object.GetName())
			readiness.expect(kind.name, object.GetName())
		}
	}
	return k
}

// keep brings the built-in objects in order, the mandatory ones first, and
// returns the leftovers that it saw.
func (k keeping[T]) keep(ctx context.Context) (leftovers []T, err error) {
	stored, err := k.list(ctx)
	if err != nil {
		return nil, fmt.Errorf("list of %ss: %w", k.name, err)
	}
	byName := make(map[string]T, k.builtIn.Len())
	for _, object := range stored {
		if k.builtIn.Has(object.GetName()) {
			byName[object.GetName()] = object
		}
		if k.isLeftover(object) {
			leftovers = append(leftovers, object)
		}
	}
	keepAll := func(role role, builtIns []T) error {
		return forEach(ctx, builtIns, func(builtIn T) error {
			name := builtIn.GetName()
			object, exists := byName[name]
			err := k.settle(ctx, name, object, exists, func(stored T, exists bool) error {
				return k.keepOne(ctx, role, builtIn, stored, exists)
			})
			if err == nil {
				k.readiness.kept(k.name, name)
			}
			return err
		})
	}
	return leftovers, errors.Join(keepAll(mandatory, k.mandatory), keepAll(suggested, k.suggested))
}

// remove deletes leftovers.
func (k keeping[T]) remove(ctx context.Context, leftovers []T) error {
	return forEach(ctx, leftovers, func(leftover T) error {
		return k.settle(ctx, leftover.GetName(), leftover, true, func(stored T, exists bool) error {
			if !exists || !k.isLeftover(stored) {
				return nil
			}
			return k.delete(ctx, stored)
		})
	})
}

func (k keeping[T]) isLeftover(stored T) bool {
	return isLeftover(stored, k.builtIn.Has(stored.GetName()))
}

// list reads all objects of the kind. It takes what the watch cache has: no
// older than this server, and free of the wait for the newest revision; what
// has changed since then fails the condition of the write. Until the cache is
// filled, a limit makes the list come from etcd instead of being refused.
func (k keeping[T]) list(ctx context.Context) ([]T, error) {
	options := metav1.ListOptions{ResourceVersion: "0", Limit: pageSize}
	var objects []T
	for {
		page, next, err := k.page(ctx, options)
		if err != nil {
			return nil, err
		}
		objects = append(objects, page...)
		if next == "" {
			return objects, nil
		}
		options = metav1.ListOptions{Continue: next, Limit: pageSize}
	}
}

// settle lets act deal with an object, and if that met a change by others, lets
// it deal with the object as it is now.
func (k keeping[T]) settle(ctx context.Context, name string, stored T, exists bool, act func(stored T, exists bool) error) error {
	for attempt := 1; ; attempt++ {
		err := act(stored, exists)
		switch {
		case err == nil:
			return nil
		case !metChange(err):
			return fmt.Errorf("%s %q: %w", k.name, name, err)
		case attempt == attempts:
			return fmt.Errorf("%s %q: others changed it each of the %d times that it was about to be written: %w", k.name, name, attempts, err)
		}
		stored, err = k.client.Get(ctx, name, metav1.GetOptions{})
		exists = err == nil
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("%s %q: read again: %w", k.name, name, err)
		}
	}
}

// metChange tells whether a write failed because the object is no longer what
// the write was decided from.
func metChange(err error) bool {
	return apierrors.IsAlreadyExists(err) || apierrors.IsConflict(err) || apierrors.IsNotFound(err)
}

func (k keeping[T]) keepOne(ctx context.Context, role role, builtIn, stored T, exists bool) error {
	if !exists {
		return k.create(ctx, role, builtIn)
	}
	if revision := revise(role, stored, builtIn, k.restore); revision.needed() {
		return k.update(ctx, role, revision)
	}
	return nil
}

// forEach does something with every object, a few at a time, and joins the
// errors. When ctx ends, it leaves the rest and returns that as an error.
func forEach[T any](ctx context.Context, objects []T, do func(T) error) error {
	errs := make([]error, len(objects))
	workqueue.ParallelizeUntil(ctx, writers, len(objects), func(i int) { errs[i] = do(objects[i]) })
	return errors.Join(errors.Join(errs...), ctx.Err())
}
