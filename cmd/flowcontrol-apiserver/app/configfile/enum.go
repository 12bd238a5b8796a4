package configfile

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// Enum is the value of a flag of this project that takes one of a few words: in lower
// case on a command line, in CamelCase in the file, as Kubernetes has both. Flags of
// kube-apiserver are not of this type. Their words are the same in both places.
type Enum[T ~string] struct {
	target *T
	words  []string
}

var _ pflag.Value = Enum[string]{}

// NewEnum returns a value that sets target, to one of the words. It does not check what a
// command line says: the server reports that together with other invalid options.
func NewEnum[T ~string](target *T, words ...T) Enum[T] {
	e := Enum[T]{target: target}
	for _, word := range words {
		e.words = append(e.words, string(word))
	}
	return e
}

// String returns the word in lower case.
func (e Enum[T]) String() string {
	if e.target == nil {
		return ""
	}
	return string(*e.target)
}

// Set sets the target.
func (e Enum[T]) Set(word string) error {
	*e.target = T(word)
	return nil
}

// Type returns "string", which --help shows.
func (e Enum[T]) Type() string { return "string" }

// wordOf returns the word for a value of the file.
func (e Enum[T]) wordOf(field string, value *yaml.Node) (string, error) {
	names := make([]string, len(e.words))
	for i, word := range e.words {
		names[i] = capitalized(word)
	}
	if i := slices.Index(names, value.Value); i >= 0 {
		return e.words[i], nil
	}
	last := len(names) - 1
	return "", at(value, "%s must be %s or %s, and is %s", field, strings.Join(names[:last], ", "), names[last], describe(value))
}

// fromFile is what an Enum of any type has.
type fromFile interface {
	wordOf(field string, value *yaml.Node) (string, error)
}
