package flowcontrol

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/clock"
)

// none is the cell of a field that is not set.
const none = "<none>"

// table converts a T or a list of T to the table that kubectl prints.
type table[T runtime.Object] struct {
	// columns describe the cells, in their order.
	columns []metav1.TableColumnDefinition
	// cells returns the row of one object.
	cells func(object T) []any
	// order, if set, sorts the rows of a list in place.
	order func(objects []T)
}

var _ rest.TableConvertor = table[runtime.Object]{}

// ConvertToTable implements rest.TableConvertor. The table has no columns if options
// are *metav1.TableOptions with NoHeaders.
func (t table[T]) ConvertToTable(_ context.Context, object, options runtime.Object) (*metav1.Table, error) {
	objects, err := flatten[T](object)
	if err != nil {
		return nil, err
	}
	if t.order != nil {
		t.order(objects)
	}
	converted := &metav1.Table{Rows: make([]metav1.TableRow, 0, len(objects))}
	for _, object := range objects {
		converted.Rows = append(converted.Rows, metav1.TableRow{Cells: t.cells(object), Object: runtime.RawExtension{Object: object}})
	}
	if options, ok := options.(*metav1.TableOptions); !ok || !options.NoHeaders {
		converted.ColumnDefinitions = t.columns
	}
	converted.ListMeta = listMeta(object)
	return converted, nil
}

func flatten[T runtime.Object](object runtime.Object) ([]T, error) {
	if one, ok := object.(T); ok {
		return []T{one}, nil
	}
	objects := make([]T, 0, max(meta.LenList(object), 0))
	err := meta.EachListItem(object, func(item runtime.Object) error {
		one, ok := item.(T)
		if !ok {
			return fmt.Errorf("list item must be %T, not %T", one, item)
		}
		objects = append(objects, one)
		return nil
	})
	return objects, err
}

func listMeta(object runtime.Object) metav1.ListMeta {
	if list, err := meta.ListAccessor(object); err == nil {
		return metav1.ListMeta{
			ResourceVersion:    list.GetResourceVersion(),
			Continue:           list.GetContinue(),
			RemainingItemCount: list.GetRemainingItemCount(),
		}
	}
	if one, err := meta.CommonAccessor(object); err == nil {
		return metav1.ListMeta{ResourceVersion: one.GetResourceVersion()}
	}
	return metav1.ListMeta{}
}

// age returns the time since an object was created, as kubectl prints it.
func age(created metav1.Time, clock clock.PassiveClock) string {
	if created.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(clock.Since(created.Time))
}
