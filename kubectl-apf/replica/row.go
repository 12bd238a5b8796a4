package replica

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// decode returns a row as a value whose fields have tags with the names of columns. A column that the
// row has not is zero, or what the tag absent says.
func decode[T any](r row) (out T, err error) {
	if r[firstColumn] == "" {
		return out, errors.New("PriorityLevelName is empty")
	}
	into := reflect.ValueOf(&out).Elem()
	for i := range into.NumField() {
		field := into.Type().Field(i)
		column := field.Tag.Get("column")
		text := r[strings.ToLower(column)]
		if column == "FlowDistinguisher" {
			text = cmp.Or(text, r["flowdistingsher"]) // as k8s.io/apiserver spells it
		}
		if text = cmp.Or(text, field.Tag.Get("absent")); text == "" {
			continue
		}
		value, err := parseCell(into.Field(i).Interface(), text)
		if err != nil {
			return out, fmt.Errorf("%s is %q", column, text)
		}
		into.Field(i).Set(reflect.ValueOf(value))
	}
	return out, nil
}

// parseCell parses a text as a value of the type of kind.
func parseCell(kind any, text string) (any, error) {
	switch kind.(type) {
	case int:
		return strconv.Atoi(text)
	case *int:
		number, err := strconv.Atoi(text)
		return &number, err
	case uint64:
		return strconv.ParseUint(text, 10, 64)
	case time.Time:
		return time.Parse(time.RFC3339Nano, text)
	case time.Duration:
		return time.ParseDuration(text)
	case float64: // in seat-seconds
		number, err := strconv.ParseFloat(strings.TrimSuffix(text, "ss"), 64)
		if err == nil && (math.IsNaN(number) || math.IsInf(number, 0)) {
			err = strconv.ErrRange
		}
		return number, err
	default:
		return text, nil
	}
}
