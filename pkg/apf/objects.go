package apf

import (
	"fmt"
	"reflect"
)

// objectCount is the field with the number of objects in the statistics that k8s.io/apiserver
// has since 0.34.
const objectCount = "ObjectCount"

// ObjectsOf returns FilterOptions.Objects by the method Get of a StorageObjectCountTracker
// of k8s.io/apiserver. The result of Get is a number up to 0.33, and statistics since;
// ObjectsOf takes either. It panics if Get returns anything else.
func ObjectsOf[S any](get func(groupResource string) (S, error)) func(groupResource string) (int64, error) {
	if number, ok := any(get).(func(string) (int64, error)); ok {
		return number
	}
	kind, field := reflect.TypeFor[S](), reflect.StructField{}
	if kind.Kind() == reflect.Struct {
		field, _ = kind.FieldByName(objectCount)
	}
	if field.Type == nil || field.Type.Kind() != reflect.Int64 {
		panic(fmt.Sprintf("Get returns %v: must return int64 or a struct with %s int64", kind, objectCount))
	}
	return func(groupResource string) (int64, error) {
		stored, err := get(groupResource)
		return reflect.ValueOf(stored).FieldByIndex(field.Index).Int(), err
	}
}
