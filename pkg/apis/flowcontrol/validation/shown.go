package validation

import (
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// shown is a bad value that a message shows as text. The library would show it in Go syntax, with
// the addresses of pointers. Its JSON is the value's.
type shown struct {
	value any
	text  string
}

var (
	_ fmt.Stringer   = shown{}
	_ json.Marshaler = shown{}
)

// String implements fmt.Stringer, which field.Error prefers to Go syntax.
func (s shown) String() string { return s.text }

// MarshalJSON implements json.Marshaler.
func (s shown) MarshalJSON() ([]byte, error) { return json.Marshal(s.value) }

// inJSON shows a value in JSON.
func inJSON(value any) shown {
	text, err := json.Marshal(value)
	if err != nil { // no value of these kinds
		text = []byte("an invalid value")
	}
	return shown{value, string(text)}
}

// showInJSON shows the bad values of the library's errors in JSON, except for simple
// ones.
func showInJSON(errs field.ErrorList) {
	for _, err := range errs {
		switch reflect.Indirect(reflect.ValueOf(err.BadValue)).Kind() {
		case reflect.Slice, reflect.Map, reflect.Struct:
			err.BadValue = inJSON(err.BadValue)
		default:
		}
	}
}
