package diff

import (
	"maps"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// objects returns the objects that differ.
func (c *Comparison) objects() []Object {
	schemas := differing(string(engine.SchemaKind), c.before.schemas, c.after.schemas, func(o *flowcontrolv1.FlowSchema) any { return o.Spec })
	levels := differing(string(engine.LevelKind), c.before.levels, c.after.levels, func(o *flowcontrolv1.PriorityLevelConfiguration) any { return o.Spec })
	return slices.Concat([]Object{}, schemas, levels)
}

// differing returns the objects of a kind whose specifications differ, by name.
func differing[O any](kind string, before, after map[string]*O, spec func(*O) any) (objects []Object) {
	names := maps.Clone(before)
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		change := Changed
		switch b, a := before[name], after[name]; {
		case b == nil:
			change = Added
		case a == nil:
			change = Removed
		case equality.Semantic.DeepEqual(spec(b), spec(a)):
			continue
		}
		objects = append(objects, Object{Kind: kind, Name: name, Change: change})
	}
	return objects
}
