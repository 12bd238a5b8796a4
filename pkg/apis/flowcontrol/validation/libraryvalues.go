//go:build !k8s0.35

package validation

import (
	"reflect"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// showInJSON shows the bad values of the library's errors in JSON, except for simple ones, as the
// library does since 0.34. This file can go when go.mod requires that release.
func showInJSON(errs field.ErrorList) {
	for _, err := range errs {
		switch reflect.Indirect(reflect.ValueOf(err.BadValue)).Kind() {
		case reflect.Slice, reflect.Map, reflect.Struct:
			err.BadValue = inJSON(err.BadValue)
		default:
		}
	}
}
