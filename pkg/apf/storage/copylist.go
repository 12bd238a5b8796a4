package storage

import (
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
)

// copyList makes to a list of the same objects as from, which share what they point to, as
// lists from the watch cache do.
func copyList(from, to runtime.Object) error {
	source, err := conversion.EnforcePtr(from)
	if err != nil {
		return err
	}
	target, err := conversion.EnforcePtr(to)
	if err != nil {
		return err
	}
	target.Set(source)
	if list, ok := to.(*unstructured.UnstructuredList); ok {
		list.Object = runtime.DeepCopyJSON(list.Object)
	}
	return cloneItems(to)
}

// cloneItems gives the list an array of items of its own.
func cloneItems(list runtime.Object) error {
	pointer, err := meta.GetItemsPtr(list)
	if err != nil {
		return err
	}
	items, err := conversion.EnforcePtr(pointer)
	if err != nil {
		return err
	}
	clone := reflect.MakeSlice(items.Type(), items.Len(), items.Len())
	reflect.Copy(clone, items)
	items.Set(clone)
	return nil
}
