package kubectl

import (
	"strings"
)

// awaited is what kubectl wait waits for.
type awaited struct {
	// deletion reports whether it waits until an object is deleted.
	deletion bool
	// condition is the condition that it waits for; empty if there is none.
	condition condition
	// unknown reports whether it waits for something else, which cannot happen here.
	unknown bool
}

// condition is a condition of an object.
type condition struct{ name, value string }

// awaitedBy returns what a command waits for.
func awaitedBy(arguments []string) awaited {
	kind, value, _ := strings.Cut(flagValue(arguments, "--for"), "=")
	switch strings.ToLower(kind) {
	case "":
		return awaited{}
	case "delete":
		return awaited{deletion: true}
	case "condition":
		name, value, given := strings.Cut(value, "=")
		if !given {
			value = "True"
		}
		return awaited{condition: condition{name, value}}
	default:
		return awaited{unknown: true}
	}
}

// flagValue returns the value of a flag; empty if it is not given.
func flagValue(arguments []string, flag string) string {
	for i, argument := range arguments {
		if value, found := strings.CutPrefix(argument, flag+"="); found {
			return value
		}
		if argument == flag && i+1 < len(arguments) {
			return arguments[i+1]
		}
	}
	return ""
}
