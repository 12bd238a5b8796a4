// Package table converts objects to the tables that kubectl prints.
package table

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

// None is the cell of a field that is not set.
const None = "<none>"

// Converter converts a T or a list of T to a table.
type Converter[T runtime.Object] struct {
	// Columns describe the cells, in the order of Cells.
	Columns []metav1.TableColumnDefinition
	// Cells returns the row of one object.
	Cells func(object T) []any
	// Order, if set, sorts the rows of a list in place.
	Order func(objects []T)
}

var _ rest.TableConvertor = Converter[runtime.Object]{}

// ConvertToTable implements rest.TableConvertor. The table has no columns if options
// are *metav1.TableOptions with NoHeaders.
func (c Converter[T]) ConvertToTable(_ context.Context, object, options runtime.Object) (*metav1.Table, error) {
	objects, err := flatten[T](object)
	if err != nil {
		return nil, err
	}
	if c.Order != nil {
		c.Order(objects)
	}
	table := &metav1.Table{Rows: make([]metav1.TableRow, 0, len(objects))}
	for _, object := range objects {
		table.Rows = append(table.Rows, metav1.TableRow{Cells: c.Cells(object), Object: runtime.RawExtension{Object: object}})
	}
	if options, ok := options.(*metav1.TableOptions); !ok || !options.NoHeaders {
		table.ColumnDefinitions = c.Columns
	}
	table.ListMeta = listMeta(object)
	return table, nil
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

// Age returns the time since an object was created, as kubectl prints it.
func Age(created metav1.Time, clock clock.PassiveClock) string {
	if created.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(clock.Since(created.Time))
}
