package diff

import (
	"maps"
	"reflect"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// objects returns the objects that differ.
func (c *Comparison) objects() []Object {
	schemas := specsOf(c.before.schemas, c.after.schemas, func(o *flowcontrolv1.FlowSchema) any { return &o.Spec })
	levels := specsOf(c.before.levels, c.after.levels, func(o *flowcontrolv1.PriorityLevelConfiguration) any { return &o.Spec })
	return append(differing(string(engine.SchemaKind), schemas), differing(string(engine.LevelKind), levels)...)
}

// specs are the specifications of an object; nil where it does not exist.
type specs struct {
	name          string
	before, after any
}

// specsOf returns the specifications of all objects of a kind, by name.
func specsOf[O any](before, after map[string]*O, spec func(*O) any) []specs {
	names := maps.Clone(before)
	maps.Copy(names, after)
	var all []specs
	for _, name := range slices.Sorted(maps.Keys(names)) {
		s := specs{name: name}
		if o := before[name]; o != nil {
			s.before = spec(o)
		}
		if o := after[name]; o != nil {
			s.after = spec(o)
		}
		all = append(all, s)
	}
	return all
}

func differing(kind string, all []specs) []Object {
	objects := []Object{}
	for _, s := range all {
		o := Object{Kind: kind, Name: s.name}
		switch {
		case s.before == nil:
			o.Change = Added
		case s.after == nil:
			o.Change = Removed
		case !equality.Semantic.DeepEqual(s.before, s.after):
			o.Change, o.Fields = Changed, fieldsOf(s.before, s.after)
		default:
			continue
		}
		objects = append(objects, o)
	}
	return objects
}

// fieldsOf returns the fields that differ.
func fieldsOf(before, after any) []Field {
	// The specifications are API types, which convert without errors.
	b, _ := runtime.DefaultUnstructuredConverter.ToUnstructured(before)
	a, _ := runtime.DefaultUnstructuredConverter.ToUnstructured(after)
	return appendFields(nil, "spec", b, a)
}

// appendFields appends the fields below path that differ.
func appendFields(fields []Field, path string, before, after map[string]any) []Field {
	names := maps.Clone(after)
	if names == nil {
		names = map[string]any{}
	}
	maps.Copy(names, before)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		b, a := before[name], after[name]
		if reflect.DeepEqual(b, a) {
			continue
		}
		below := path + "." + name
		bMap, bIs := b.(map[string]any)
		aMap, aIs := a.(map[string]any)
		if (bIs || b == nil) && (aIs || a == nil) {
			fields = appendFields(fields, below, bMap, aMap)
			continue
		}
		fields = append(fields, Field{Path: below, Before: b, After: a})
	}
	return fields
}
