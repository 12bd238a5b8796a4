package configsync

import (
	"maps"
	"slices"

	flowcontrol "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// Translator translates API objects to the configuration of the engine. The result depends on the
// present objects only. It is not safe for concurrent use. Create one with NewTranslator.
type Translator struct {
	levels  translations[*flowcontrol.PriorityLevelConfiguration, engine.LevelConfig]
	schemas translations[*flowcontrol.FlowSchema, rules.Schema]
}

// apiObject is an API object; it is compared as a pointer.
type apiObject interface {
	comparable
	GetName() string
}

// translations are the translations of the objects of one kind, by name.
type translations[O apiObject, P any] map[string]translation[O, P]

// translation is an object and, if it is valid and so in effect, what it means.
type translation[O apiObject, P any] struct {
	object O
	err    error // says why it is invalid
	plain  P
	digest digest
}

// NewTranslator returns a Translator without objects.
func NewTranslator() *Translator { return &Translator{} }

// Translate returns the configuration that the objects make up, and the objects
// that are invalid, which it lacks. Levels and schemas are in order of name. Mandatory objects that
// the API lacks are missing: the engine adds them. The objects must not change
// afterwards.
func (t *Translator) Translate(levels []*flowcontrol.PriorityLevelConfiguration, schemas []*flowcontrol.FlowSchema) (engine.Configuration, []engine.Problem) {
	t.levels = t.levels.next(levels, translateLevel, func(o *flowcontrol.PriorityLevelConfiguration) marshaler { return &o.Spec })
	t.schemas = t.schemas.next(schemas, rules.SchemaOf, func(o *flowcontrol.FlowSchema) marshaler { return &o.Spec })
	var configuration engine.Configuration
	var problems, more []engine.Problem
	configuration.Levels, problems = t.levels.result(engine.LevelKind)
	configuration.Schemas, more = t.schemas.result(engine.SchemaKind)
	return configuration, append(problems, more...)
}

// next returns the translations of objects. Objects are immutable, so the same pointer is not
// translated again.
func (t translations[O, P]) next(objects []O, translate func(O) (P, error), spec func(O) marshaler) translations[O, P] {
	next := make(translations[O, P], len(objects))
	for _, object := range objects {
		name := object.GetName()
		one, ok := t[name]
		if !ok || one.object != object {
			one = translation[O, P]{object: object}
			if one.plain, one.err = translate(object); one.err == nil {
				one.digest = digestOf(name, spec(object))
			}
		}
		next[name] = one
	}
	return next
}

// result returns what the valid objects mean and what is wrong with the others, in order of name.
func (t translations[O, P]) result(kind engine.Kind) (valid []P, problems []engine.Problem) {
	valid = make([]P, 0, len(t))
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if one := t[name]; one.err != nil {
			problems = append(problems, engine.Problem{Kind: kind, Name: name, Err: one.err})
		} else {
			valid = append(valid, one.plain)
		}
	}
	return valid, problems
}
