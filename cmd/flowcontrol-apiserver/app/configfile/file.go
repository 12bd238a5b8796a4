package configfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/names"
)

const (
	// FlagName is the name of the flag that names the file.
	FlagName = "config"
	// APIVersion is the apiVersion of the file.
	APIVersion = names.ConfigVersion
	// Kind is the kind of the file.
	Kind = "FlowControlAPIServerConfiguration"
)

// Apply sets flags to what the file at path says, except flags that the command line has set. The
// error has a line for each mistake, and the flags are then undefined.
func Apply(path string, flags *pflag.FlagSet) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("--%s: %w", FlagName, err)
	}
	top, err := parse(content)
	if err != nil {
		return fmt.Errorf("--%s=%s: %w", FlagName, path, err)
	}
	var mistakes []error
	for _, mistake := range apply(top, flags) {
		mistakes = append(mistakes, fmt.Errorf("--%s=%s: %w", FlagName, path, mistake))
	}
	return errors.Join(mistakes...)
}

// parse returns the object in a file.
func parse(content []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var document, next yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("the file is empty; it must begin with 'apiVersion: %s' and 'kind: %s'", APIVersion, Kind)
	case err != nil:
		return nil, fmt.Errorf("the file is neither YAML nor JSON: %w", err)
	}
	if err := decoder.Decode(&next); err == nil {
		return nil, at(&next, "a second document begins; the file must have one")
	}
	top := document.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, at(top, "the file must contain an object, and contains %s", describe(top))
	}
	return top, nil
}

// apply returns the mistakes in the object, in the order of their lines. The type of the
// file is checked first: another one would have other fields.
func apply(top *yaml.Node, flags *pflag.FlagSet) []error {
	if mistakes := checkType(top); len(mistakes) > 0 {
		return mistakes
	}
	known := fields(flags)
	overridden := make(map[string]bool)
	flags.Visit(func(flag *pflag.Flag) { overridden[flag.Name] = true })

	var mistakes []error
	seen := make(map[string]int)
	for key, value := range entries(top) {
		name := key.Value
		first, repeated := seen[name]
		flag := known[name]
		switch seen[name] = key.Line; {
		case repeated:
			mistakes = append(mistakes, at(key, "%s is already set in line %d; remove one of them", name, first))
		case name == "apiVersion" || name == "kind":
		case flag == nil:
			mistakes = append(mistakes, unknown(key, known))
		case overridden[flag.Name]:
		default:
			if err := set(flags, flag, name, value); err != nil {
				mistakes = append(mistakes, err)
			}
		}
	}
	return mistakes
}

// checkType checks apiVersion and kind.
func checkType(top *yaml.Node) []error {
	var mistakes []error
	for _, required := range []struct{ name, value string }{{"apiVersion", APIVersion}, {"kind", Kind}} {
		found := false
		for key, value := range entries(top) {
			if key.Value != required.name {
				continue
			}
			if found = true; value.Value != required.value {
				mistakes = append(mistakes, at(value, "%s must be %s, and is %q", required.name, required.value, value.Value))
			}
		}
		if !found {
			mistakes = append(mistakes, at(top, "%s is missing; it must be %s", required.name, required.value))
		}
	}
	return mistakes
}

func unknown(key *yaml.Node, known map[string]*pflag.Flag) error {
	if field := similar(key.Value, known); field != "" {
		return at(key, "unknown field %q; the field is named %s", key.Value, field)
	}
	return at(key, "unknown field %q; a field is named after its flag, as etcdServers after --etcd-servers, and --help lists the flags", key.Value)
}

// entries yields the keys and values of an object.
func entries(object *yaml.Node) func(func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(object.Content); i += 2 {
			if !yield(object.Content[i], object.Content[i+1]) {
				return
			}
		}
	}
}

// at returns an error about a node, with its line.
func at(node *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %w", node.Line, fmt.Errorf(format, args...))
}
