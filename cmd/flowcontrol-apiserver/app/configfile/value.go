package configfile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// shape is what a field's value must be, with the words for it.
type shape struct {
	kind yaml.Kind
	tags []string // of a scalar
	word string
}

// integers is the type of flags that are lists of integers.
const integers = "int32Slice"

// shapeOf returns what a value for the flag must be.
func shapeOf(flag *pflag.Flag) shape {
	switch flag.Value.Type() {
	case "bool":
		return shape{yaml.ScalarNode, []string{"!!bool"}, "true or false"}
	case "int", "int32", "int64", "uint", "Level":
		return integerShape()
	case "float32", "float64":
		return shape{yaml.ScalarNode, []string{"!!int", "!!float"}, "a number"}
	case "quantity":
		return shape{yaml.ScalarNode, []string{"!!int", "!!str"}, "a quantity such as 64Ki"}
	case "stringSlice", "namedCertKey":
		return shape{yaml.SequenceNode, nil, "a list of strings"}
	case integers:
		return shape{yaml.SequenceNode, nil, "a list of integers"}
	case "mapStringString", "stringToString", "colonSeparatedMultimapStringString":
		return shape{yaml.MappingNode, nil, "an object"}
	default:
		return stringShape()
	}
}

func integerShape() shape {
	return shape{yaml.ScalarNode, []string{"!!int"}, "an integer"}
}

func stringShape() shape {
	return shape{yaml.ScalarNode, []string{"!!str"}, "a string; put it in quotes"}
}

// set sets a flag to the value of its field.
func set(flags *pflag.FlagSet, flag *pflag.Flag, field string, value *yaml.Node) error {
	if value.Kind == yaml.AliasNode {
		value = value.Alias
	}
	wanted := shapeOf(flag)
	if !wanted.fits(value) {
		return at(value, "%s must be %s, and is %s", field, wanted.word, describe(value))
	}
	arguments, err := arguments(flag, field, value)
	if err != nil {
		return err
	}
	for _, argument := range arguments {
		if err := flags.Set(flag.Name, argument); err != nil {
			return at(value, "%s: invalid value %q: %w", field, argument, cause(err))
		}
	}
	return nil
}

func (s shape) fits(value *yaml.Node) bool {
	return value.Kind == s.kind && (len(s.tags) == 0 || slices.Contains(s.tags, value.Tag))
}

// arguments returns what the flag is given on a command line that says the same. The
// first one replaces the flag's default, the others are added to it.
func arguments(flag *pflag.Flag, field string, value *yaml.Node) ([]string, error) {
	switch value.Kind {
	case yaml.SequenceNode:
		return elements(flag, field, value)
	case yaml.MappingNode:
		return pairs(field, value)
	}
	if enum, ok := flag.Value.(fromFile); ok {
		word, err := enum.wordOf(field, value)
		return []string{word}, err
	}
	return []string{value.Value}, nil
}

func elements(flag *pflag.Flag, field string, value *yaml.Node) ([]string, error) {
	wanted := stringShape()
	if flag.Value.Type() == integers {
		wanted = integerShape()
	}
	switch {
	case len(value.Content) > 0:
	case flag.Value.Type() == integers:
		return nil, at(value, "%s must not be empty; remove it to have the default", field)
	default:
		return []string{""}, nil
	}
	var arguments []string
	for i, element := range value.Content {
		if !wanted.fits(element) {
			return nil, at(element, "%s[%d] must be %s, and is %s", field, i, wanted.word, describe(element))
		}
		argument := element.Value
		if flag.Value.Type() == "stringSlice" {
			argument = quoted(argument)
		}
		arguments = append(arguments, argument)
	}
	return arguments, nil
}

func pairs(field string, value *yaml.Node) ([]string, error) {
	if len(value.Content) == 0 {
		return nil, at(value, "%s must not be empty; remove it to have the default", field)
	}
	var arguments []string
	seen := make(map[string]bool)
	for key, element := range entries(value) {
		if element.Kind != yaml.ScalarNode || element.Tag == "!!null" {
			return nil, at(element, "%s[%s] must be a string, a number, true or false, and is %s", field, key.Value, describe(element))
		}
		if seen[key.Value] {
			return nil, at(key, "%s[%s] is set twice; remove one of them", field, key.Value)
		}
		seen[key.Value] = true
		arguments = append(arguments, key.Value+"="+element.Value)
	}
	return arguments, nil
}

// quoted returns an element of a list as flags of lists read it, as CSV, so that commas
// in it do not divide it.
func quoted(element string) string {
	var buffer bytes.Buffer
	writer := csv.NewWriter(&buffer)
	// A bytes.Buffer returns no error.
	_ = writer.Write([]string{element})
	writer.Flush()
	return strings.TrimSuffix(buffer.String(), "\n")
}

// cause returns the error of the flag's value without the name of the flag, which is not
// in the file.
func cause(err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return invalid.Unwrap()
	}
	return err
}

// describe says what a value is.
func describe(value *yaml.Node) string {
	switch {
	case value.Kind == yaml.SequenceNode:
		return "a list"
	case value.Kind == yaml.MappingNode:
		return "an object"
	case value.Tag == "!!null":
		return "null"
	case value.Tag == "!!str":
		return fmt.Sprintf("the string %q", value.Value)
	default:
		return value.Value
	}
}
