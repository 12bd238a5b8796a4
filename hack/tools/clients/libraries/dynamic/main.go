// Command dynamic uses the dynamic client of client-go: dynamic NAME.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/tools/clients/libraries/objects"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, name string) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	levels := client.Resource(resource("prioritylevelconfigurations"))
	schemas := client.Resource(resource("flowschemas"))
	level, err := objects.Unstructured(objects.Level(name))
	if err != nil {
		return err
	}
	if _, err := levels.Create(ctx, level, metav1.CreateOptions{}); err != nil {
		return err
	}
	list, err := schemas.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	changes, err := schemas.Watch(ctx, metav1.ListOptions{LabelSelector: "client=" + name, ResourceVersion: list.GetResourceVersion()})
	if err != nil {
		return err
	}
	defer changes.Stop()
	if err := write(ctx, schemas, name); err != nil {
		return err
	}
	if err := await(changes); err != nil {
		return err
	}
	return levels.Delete(ctx, name, metav1.DeleteOptions{})
}

func resource(name string) schema.GroupVersionResource {
	return flowcontrolv1.SchemeGroupVersion.WithResource(name)
}

// write creates, patches, applies and deletes the FlowSchema.
func write(ctx context.Context, schemas dynamic.ResourceInterface, name string) error {
	created, err := objects.Unstructured(objects.Schema(name, objects.Created))
	if err != nil {
		return err
	}
	if _, err := schemas.Create(ctx, created, metav1.CreateOptions{}); err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"matchingPrecedence": objects.Patched}})
	if err != nil {
		return err
	}
	if _, err := schemas.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return err
	}
	applied, err := objects.Unstructured(objects.Schema(name, objects.Applied))
	if err != nil {
		return err
	}
	if _, err := schemas.Apply(ctx, name, applied, metav1.ApplyOptions{FieldManager: "dynamic", Force: true}); err != nil {
		return err
	}
	return schemas.Delete(ctx, name, metav1.DeleteOptions{})
}

// await reads the watch until the FlowSchema is deleted, which must follow what was applied.
func await(changes watch.Interface) error {
	var last int64
	for event := range changes.ResultChan() {
		object, ok := event.Object.(*unstructured.Unstructured)
		if !ok {
			return fmt.Errorf("the watch sent %T", event.Object)
		}
		last, _, _ = unstructured.NestedInt64(object.Object, "spec", "matchingPrecedence")
		if event.Type == watch.Deleted {
			if last != int64(objects.Applied) {
				return fmt.Errorf("deleted with matchingPrecedence %d", last)
			}
			return nil
		}
	}
	return errors.New("the watch ended before the deletion")
}
