package badrequest

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

const (
	// goType is the name of a type in Go, goString a string.
	goType   = `((?:\[\]|\*|map\[\w+\])*(?:struct ?\{[^}]*\}|interface ?\{\}|[\w.]+))`
	goString = `("(?:[^"\\]|\\.)*")`
)

// rewriting replaces what a decoder says in Go syntax.
type rewriting struct {
	pattern *regexp.Regexp
	// plain is what to say instead. It may refer to the submatches. Submatches that name a type
	// have become words.
	plain string
	types []int
}

// rewritings returns what is applied one after the other.
func rewritings() []rewriting {
	return []rewriting{
		// of JSON and YAML
		{regexp.MustCompile(`json: cannot unmarshal ` + goType + `(?: \S+)? into Go struct field [^. ]*\.(\S+) of type ` + goType), "$2: must be $3, not $1", []int{1, 3}},
		{regexp.MustCompile(`json: cannot unmarshal ` + goType + `(?: \S+)? into Go value of type ` + goType), "must be $2, not $1", []int{1, 2}},
		{regexp.MustCompile(`parsing time ` + goString + ` as ` + goString + `: cannot parse ` + goString + ` as ` + goString), "$1 must be a time such as 2006-01-02T15:04:05Z", nil},
		{regexp.MustCompile(`(?s)yaml: invalid map key: (?:map\[interface \{\}\]|\[\])interface \{\}\{.*\}`), "yaml: invalid map key: must be a string", nil},
		// of applied objects
		{regexp.MustCompile(`, got &\{[^\n]*\}`), "", nil},
		{regexp.MustCompile(`metadata\.managedFields must be nil`), "metadata.managedFields must be empty", nil},
		// of strategic merge patches
		{regexp.MustCompile(`cannot convert ` + goType + ` to ` + goType), "must be $2, not $1", []int{1, 2}},
		{regexp.MustCompile(`cannot restore (map|slice|struct) from:? ` + goType), "must be $1, not $2", []int{1, 2}},
		{regexp.MustCompile(`unrecognized type: ` + goType), "must be $1", []int{1}},
		{regexp.MustCompile(`expected a ` + goType + `, but received a ` + goType), "must be $1, not $2", []int{1, 2}},
		{regexp.MustCompile(`(?s)map: map\[.*\] does not contain declared merge key: (\w+)`), "each item of the list must have the field $1", nil},
		{regexp.MustCompile(`(?s)unknown patch type: .* in map: map\[.*\]`), "$patch must be delete, merge or replace", nil},
		{regexp.MustCompile(`(?s)The order in patch list:.* doesn't match (\S+) list:.*\]\n`), "the items of the patch must be in the order of $1", nil},
		{regexp.MustCompile(`(?s)list element types are not identical: \[.*\]`), "all items of a list must have one type", nil},
		{regexp.MustCompile(`Invalid value: "map\[(?:[^"\\]|\\.)*": `), "Invalid value: ", nil},
		// of options
		{regexp.MustCompile(`strconv\.Parse(?:Int|Uint): parsing ` + goString + `: invalid syntax`), "$1 must be an integer", nil},
		{regexp.MustCompile(`strconv\.Parse(?:Int|Uint): parsing ` + goString + `: value out of range`), "$1 must be an integer of 64 bits", nil},
		{regexp.MustCompile(`strconv\.ParseBool: parsing ` + goString + `: invalid syntax`), "$1 must be true or false", nil},
	}
}

// kinds are the kinds of the types of an API, by their names in Go.
type kinds map[string]reflect.Kind

// kindsOf returns the kinds of the types that the objects of a scheme consist of.
func kindsOf(scheme *runtime.Scheme) kinds {
	found := kinds{}
	for _, object := range scheme.AllKnownTypes() {
		found.add(object)
	}
	return found
}

func (k kinds) add(t reflect.Type) {
	if _, known := k[t.String()]; known {
		return
	}
	k[t.String()] = t.Kind()
	switch t.Kind() { //nolint:exhaustive // others consist of no types
	case reflect.Struct:
		for field := range t.Fields() {
			k.add(field.Type)
		}
	case reflect.Pointer, reflect.Slice:
		k.add(t.Elem())
	case reflect.Map:
		k.add(t.Elem())
	}
}

// plainTexts makes texts without Go syntax.
type plainTexts struct {
	kinds      kinds
	rewritings []rewriting
}

// newPlainTexts returns plainTexts for errors about objects of a scheme.
func newPlainTexts(scheme *runtime.Scheme) plainTexts {
	return plainTexts{kindsOf(scheme), rewritings()}
}

// of returns a text without Go syntax.
func (p plainTexts) of(text string) string {
	for i := range p.rewritings {
		r := &p.rewritings[i]
		var out strings.Builder
		end := 0
		for _, at := range r.pattern.FindAllStringSubmatchIndex(text, -1) {
			out.WriteString(text[end:at[0]])
			out.WriteString(r.expand(text, at, p.kinds))
			end = at[1]
		}
		text = out.String() + text[end:]
	}
	return text
}

// expand returns what to say instead of the match at the given indices.
func (r *rewriting) expand(text string, at []int, k kinds) string {
	var pairs []string
	for i := 1; i < len(at)/2; i++ {
		found := text[at[2*i]:at[2*i+1]]
		if slices.Contains(r.types, i) {
			found = k.words(found)
		}
		pairs = append(pairs, "$"+strconv.Itoa(i), found)
	}
	return strings.NewReplacer(pairs...).Replace(r.plain)
}

// words returns what people call a type.
func (k kinds) words(name string) string {
	name = strings.TrimLeft(name, "*")
	kind, known := k[name]
	switch {
	case strings.HasPrefix(name, "[]"), name == "slice", name == "array", kind == reflect.Slice:
		return "a list"
	case name == "v1.Time", name == "v1.MicroTime":
		return "a time"
	case strings.HasPrefix(name, "map"), strings.HasPrefix(name, "struct"), strings.HasPrefix(name, "interface"), name == "object", kind == reflect.Struct, kind == reflect.Map:
		return "an object"
	case name == "string", kind == reflect.String:
		return "a string"
	case name == "bool", kind == reflect.Bool:
		return "true or false"
	case name == "int32", kind == reflect.Int32:
		return "an integer of 32 bits"
	case strings.HasPrefix(name, "int"), known:
		return "an integer"
	default:
		return "a number"
	}
}
