package validation

import (
	"encoding/json"
	"errors"
	"fmt"
)

// shown is a bad value that a message shows as text. The library would show it in Go syntax, with
// the addresses of pointers.
type shown struct {
	value any
	text  string
}

var (
	_ fmt.Stringer   = shown{}
	_ json.Marshaler = shown{}
)

// Value returns the bad value itself.
func (s shown) Value() any { return s.value }

// String implements fmt.Stringer, which field.Error prefers to Go syntax.
func (s shown) String() string { return s.text }

// MarshalJSON implements json.Marshaler. It fails, because since Kubernetes 1.34 field.Error
// prefers JSON to String.
func (s shown) MarshalJSON() ([]byte, error) { return nil, errors.New("shown as text") }

// inJSON shows a value in JSON.
func inJSON(value any) shown {
	text, err := json.Marshal(value)
	if err != nil { // no value of these kinds
		text = []byte("an invalid value")
	}
	return shown{value, string(text)}
}
