package bootstrap

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fieldManager is kube-apiserver's, so that servers of both sorts on one store
// own the fields together.
const fieldManager = "api-priority-and-fairness-config-producer-v1"

// Of the writes that succeed, those that undo what somebody may have meant are
// always logged, the others at level 2.

func (k keeping[T]) create(ctx context.Context, role role, builtIn T) error {
	if _, err := k.client.Create(ctx, builtIn.DeepCopy(), metav1.CreateOptions{FieldManager: fieldManager}); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	k.logger.V(2).Info("Created a built-in object", "name", builtIn.GetName(), "role", role)
	return nil
}

func (k keeping[T]) update(ctx context.Context, role role, revision revision[T]) error {
	if _, err := k.client.Update(ctx, revision.object, metav1.UpdateOptions{FieldManager: fieldManager}); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	name := revision.object.GetName()
	if revision.restored {
		k.logger.Info("Restored the spec of a built-in object", "name", name, "role", role)
	} else {
		k.logger.V(2).Info("Made the annotation of a built-in object say who owns its spec", "name", name, "role", role, "serverOwnsSpec", revision.owned)
	}
	return nil
}

func (k keeping[T]) delete(ctx context.Context, leftover T) error {
	err := k.client.Delete(ctx, leftover.GetName(), metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{
			UID:             new(leftover.GetUID()),
			ResourceVersion: new(leftover.GetResourceVersion()),
		},
	})
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	k.logger.Info("Deleted an object that is no longer built in", "name", leftover.GetName())
	return nil
}
