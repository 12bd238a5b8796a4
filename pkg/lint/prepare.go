package lint

import (
	"encoding/json"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// prepare makes of an object's metadata what the server validates at a create: it sets or
// drops these fields, whatever a client sends (rest.BeforeCreate, FillObjectMetaSystemFields,
// the strategies and the field manager).
func prepare(metadata *metav1.ObjectMeta) {
	metadata.Namespace = ""
	metadata.Generation = 1
	metadata.ManagedFields = nil
	metadata.UID = ""
	metadata.CreationTimestamp = metav1.Time{}
	metadata.DeletionTimestamp = nil
	metadata.DeletionGracePeriodSeconds = nil
}

// reason returns the text of an error without the syntax of Go, which field.Error uses for
// values other than strings, numbers and booleans.
func reason(err *field.Error) string {
	readable := *err
	value := reflect.Indirect(reflect.ValueOf(err.BadValue))
	switch value.Kind() {
	case reflect.Struct, reflect.Map, reflect.Func, reflect.Interface:
		readable.BadValue = field.OmitValueType{}
	case reflect.Slice, reflect.Array:
		readable.BadValue = field.OmitValueType{}
		if value.Type().Elem().Kind() == reflect.String {
			readable.BadValue = inJSON{value.Interface()}
		}
	default:
	}
	return readable.ErrorBody()
}

// inJSON prints a value as JSON.
type inJSON struct{ value any }

func (j inJSON) String() string {
	text, err := json.Marshal(j.value)
	if err != nil { // a value that JSON has not, such as a function
		return "a value of the type " + reflect.TypeOf(j.value).Kind().String()
	}
	return string(text)
}
