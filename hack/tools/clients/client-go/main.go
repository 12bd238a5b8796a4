// Command client-go uses the dynamic client of client-go: client-go NAME.
package main

import (
	"context"
	"errors"
	"fmt"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/tools/clients/objects"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/tools/clients/steps"
)

func main() { steps.Main(client) }

// user is the client and what it remembers from step to step.
type user struct {
	name            string
	levels, schemas dynamic.ResourceInterface
	changes         watch.Interface
}

func client(config *rest.Config, name string) ([]steps.Step, error) {
	c, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	u := &user{
		name:    name,
		levels:  c.Resource(flowcontrolv1.SchemeGroupVersion.WithResource("prioritylevelconfigurations")),
		schemas: c.Resource(flowcontrolv1.SchemeGroupVersion.WithResource("flowschemas")),
	}
	return []steps.Step{
		{Name: "list", Run: u.list},
		{Name: "create", Run: u.create},
		{Name: "patch", Run: u.patch},
		{Name: "server-side apply", Run: u.apply},
		{Name: "delete", Run: u.delete},
		{Name: "watch", Run: u.watch},
	}, nil
}

// list lists, and begins the watch at the version of the list.
func (u *user) list(ctx context.Context) error {
	list, err := u.schemas.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	u.changes, err = u.schemas.Watch(ctx, metav1.ListOptions{LabelSelector: "client=" + u.name, ResourceVersion: list.GetResourceVersion()})
	return err
}

func (u *user) create(ctx context.Context) error {
	if _, err := u.levels.Create(ctx, objects.Unstructured(objects.Level(u.name)), metav1.CreateOptions{}); err != nil {
		return err
	}
	_, err := u.schemas.Create(ctx, objects.Unstructured(objects.Schema(u.name, objects.Created)), metav1.CreateOptions{})
	return err
}

func (u *user) patch(ctx context.Context) error {
	_, err := u.schemas.Patch(ctx, u.name, types.MergePatchType, objects.Precedence(objects.Patched), metav1.PatchOptions{})
	return err
}

func (u *user) apply(ctx context.Context) error {
	applied := objects.Unstructured(objects.Schema(u.name, objects.Applied))
	_, err := u.schemas.Apply(ctx, u.name, applied, metav1.ApplyOptions{FieldManager: "client-go", Force: true})
	return err
}

func (u *user) delete(ctx context.Context) error {
	if err := u.schemas.Delete(ctx, u.name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return u.levels.Delete(ctx, u.name, metav1.DeleteOptions{})
}

// watch reads the watch until the FlowSchema is deleted, which must follow what was applied.
func (u *user) watch(context.Context) error {
	defer u.changes.Stop()
	for event := range u.changes.ResultChan() {
		object, ok := event.Object.(*unstructured.Unstructured)
		if !ok {
			return fmt.Errorf("the watch sent %T", event.Object)
		}
		last, _, _ := unstructured.NestedInt64(object.Object, "spec", "matchingPrecedence")
		if event.Type != watch.Deleted {
			continue
		}
		if last != int64(objects.Applied) {
			return fmt.Errorf("deleted with matchingPrecedence %d", last)
		}
		return nil
	}
	return errors.New("the watch ended before the deletion")
}
