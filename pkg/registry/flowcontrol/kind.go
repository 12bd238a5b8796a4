package flowcontrol

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// object is an object of the group.
type object interface {
	runtime.Object
	metav1.ObjectMetaAccessor
}

// metadata returns the metadata of an object, to be changed.
func metadata(of metav1.ObjectMetaAccessor) *metav1.ObjectMeta {
	return of.GetObjectMeta().(*metav1.ObjectMeta)
}

// kind is what strategy, storage, table and warnings need to know of a resource whose
// objects are T.
type kind[T object] struct {
	plural, singular string
	newObject        func() T
	newList          func() runtime.Object

	// spec returns the spec of an object, to be compared.
	spec func(T) any
	// copySpec and copyStatus copy a part of one object to another.
	copySpec, copyStatus func(to, from T)

	// validate is for a new object and for an update, validateStatus for an update of the status.
	validate, validateStatus func(T) field.ErrorList

	table  table[T]
	advice advice[T]
}

// advice is what package lint finds about writes, which are answered with it as warnings.
type advice[T object] struct {
	// written judges an object after a write, beside the configuration before it. The old
	// object is nil for a create.
	written func(ctx context.Context, written, old T, before lint.Reader) []lint.Finding
	// deleted judges a deletion.
	deleted func(ctx context.Context, name string, before lint.Reader) []lint.Finding
}
