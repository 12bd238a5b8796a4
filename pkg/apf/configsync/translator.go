package configsync

import (
	"errors"
	"maps"
	"slices"

	flowcontrol "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// Translator translates API objects to the configuration of the engine. It keeps the
// last valid version of each object. It is not safe for concurrent use. Create one
// with NewTranslator.
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

type translation[O apiObject, P any] struct {
	object O      // the version translated last
	err    error  // of that version
	valid  bool   // there was a valid version
	plain  P      // the last valid version
	digest digest // of the last valid version
}

// translator translates the objects of one kind.
type translator[O apiObject, P any] struct {
	// translate translates an object, given the last valid version.
	translate func(object O, former P) (P, error)
	digest    func(P) digest
}

// translate returns the translation of an object. Objects are immutable, so the same
// pointer is not translated again: of ten thousand objects few change at a time.
func (t translations[O, P]) translate(object O, with translator[O, P]) translation[O, P] {
	known, ok := t[object.GetName()]
	if ok && known.object == object {
		return known
	}
	plain, err := with.translate(object, known.plain)
	known.object, known.err = object, err
	var ignored ignoredError
	if err == nil || errors.As(err, &ignored) {
		known.plain, known.valid, known.digest = plain, true, with.digest(plain)
	}
	return known
}

// NewTranslator returns a Translator without objects.
func NewTranslator() *Translator {
	return &Translator{}
}

// Translate returns the configuration that the objects make up, and the objects
// that are invalid. Levels and schemas are in order of name. Mandatory objects that
// the API lacks are missing: the engine adds them. The objects must not change
// afterwards.
func (t *Translator) Translate(levels []*flowcontrol.PriorityLevelConfiguration, schemas []*flowcontrol.FlowSchema) (engine.Configuration, []engine.Problem) {
	var problems []engine.Problem
	t.levels = t.levels.next(levels, translator[*flowcontrol.PriorityLevelConfiguration, engine.LevelConfig]{translateLevel, levelDigest}, func(name string, err error) {
		problems = append(problems, engine.Problem{Kind: engine.LevelKind, Name: name, Err: err})
	})
	t.schemas = t.schemas.next(schemas, translator[*flowcontrol.FlowSchema, rules.Schema]{translateSchema, schemaDigest}, func(name string, err error) {
		problems = append(problems, engine.Problem{Kind: engine.SchemaKind, Name: name, Err: err})
	})
	return engine.Configuration{Levels: t.levels.inEffect(), Schemas: t.schemas.inEffect()}, problems
}

// next returns the translations of the objects of one kind, and calls problem for
// each that is invalid, in order of name.
func (t translations[O, P]) next(objects []O, with translator[O, P], problem func(string, error)) translations[O, P] {
	next := make(translations[O, P], len(objects))
	for _, object := range objects {
		next[object.GetName()] = t.translate(object, with)
	}
	for _, name := range slices.Sorted(maps.Keys(next)) {
		if err := next[name].err; err != nil {
			problem(name, err)
		}
	}
	return next
}

// inEffect returns the last valid version of each object, in order of name.
func (t translations[O, P]) inEffect() []P {
	list := make([]P, 0, len(t))
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if t[name].valid {
			list = append(list, t[name].plain)
		}
	}
	return list
}
