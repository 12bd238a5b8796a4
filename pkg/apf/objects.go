package apf

import (
	"fmt"
	"reflect"
)

// objectCount and objectSize are the fields with the number of objects, and with their
// average size in bytes, in the statistics that k8s.io/apiserver has since 0.34.
const objectCount, objectSize = "ObjectCount", "EstimatedAverageObjectSizeBytes"

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

// SizesOf returns FilterOptions.Sizes by the method Get of a StorageObjectCountTracker of
// k8s.io/apiserver. Up to 0.33 it knows no size.
func SizesOf[S any](get func(groupResource string) (S, error)) func(groupResource string) int64 {
	kind := reflect.TypeFor[S]()
	field := reflect.StructField{}
	if kind.Kind() == reflect.Struct {
		field, _ = kind.FieldByName(objectSize)
	}
	if field.Type == nil || field.Type.Kind() != reflect.Int64 {
		return func(string) int64 { return 0 }
	}
	return func(groupResource string) int64 {
		stored, err := get(groupResource)
		if err != nil {
			return 0
		}
		return reflect.ValueOf(stored).FieldByIndex(field.Index).Int()
	}
}
