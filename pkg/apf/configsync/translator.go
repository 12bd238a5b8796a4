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

// translations are the translations of the objects of one kind.
type translations[O apiObject, P any] struct {
	known   map[string]translation[O, P] // by name
	invalid map[string]error             // by name
}

type translation[O apiObject, P any] struct {
	object O
	err    error
	valid  bool // the object is in effect
	plain  P
	digest digest // of plain, if it is valid
}

// translator translates the objects of one kind.
type translator[O apiObject, P any] struct {
	translate func(O) (P, error)
	digest    func(P) digest
}

func levelTranslator() translator[*flowcontrol.PriorityLevelConfiguration, engine.LevelConfig] {
	return translator[*flowcontrol.PriorityLevelConfiguration, engine.LevelConfig]{translateLevel, levelDigest}
}

func schemaTranslator() translator[*flowcontrol.FlowSchema, rules.Schema] {
	return translator[*flowcontrol.FlowSchema, rules.Schema]{rules.SchemaOf, schemaDigest}
}

// NewTranslator returns a Translator without objects.
func NewTranslator() *Translator { return &Translator{} }

// Translate returns the configuration that the objects make up, and the objects
// that are invalid, which it lacks. Levels and schemas are in order of name. Mandatory objects that
// the API lacks are missing: the engine adds them. The objects must not change
// afterwards.
func (t *Translator) Translate(levels []*flowcontrol.PriorityLevelConfiguration, schemas []*flowcontrol.FlowSchema) (engine.Configuration, []engine.Problem) {
	t.levels = t.levels.next(levels, levelTranslator())
	t.schemas = t.schemas.next(schemas, schemaTranslator())
	return engine.Configuration{Levels: t.levels.inEffect(), Schemas: t.schemas.inEffect()}, t.problems()
}

// problems returns the invalid objects, by kind and name.
func (t *Translator) problems() (problems []engine.Problem) {
	for _, name := range slices.Sorted(maps.Keys(t.levels.invalid)) {
		problems = append(problems, engine.Problem{Kind: engine.LevelKind, Name: name, Err: t.levels.invalid[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(t.schemas.invalid)) {
		problems = append(problems, engine.Problem{Kind: engine.SchemaKind, Name: name, Err: t.schemas.invalid[name]})
	}
	return problems
}

// next returns the translations of objects. Objects are immutable, so the same pointer is not
// translated again.
func (t *translations[O, P]) next(objects []O, with translator[O, P]) translations[O, P] {
	next := translations[O, P]{known: make(map[string]translation[O, P], len(objects)), invalid: map[string]error{}}
	for _, object := range objects {
		name := object.GetName()
		one, ok := t.known[name]
		if !ok || one.object != object {
			one = with.translation(object)
		}
		next.known[name] = one
		if one.err != nil {
			next.invalid[name] = one.err
		}
	}
	return next
}

func (t translator[O, P]) translation(object O) translation[O, P] {
	plain, err := t.translate(object)
	one := translation[O, P]{object: object, err: err}
	if err == nil {
		one.plain, one.valid, one.digest = plain, true, t.digest(plain)
	}
	return one
}

// inEffect returns the valid objects, in order of name.
func (t *translations[O, P]) inEffect() []P {
	list := make([]P, 0, len(t.known))
	for _, name := range slices.Sorted(maps.Keys(t.known)) {
		if t.known[name].valid {
			list = append(list, t.known[name].plain)
		}
	}
	return list
}
