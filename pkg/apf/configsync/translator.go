package configsync

import (
	"maps"
	"slices"

	flowcontrol "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/classify"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/prioritylevel"
)

// Translator turns API objects into the engine's configuration. It remembers
// the last good form of each. It is not safe for concurrent use. Create one
// with NewTranslator.
type Translator struct {
	total   int
	levels  former[*flowcontrol.PriorityLevelConfiguration, prioritylevel.Config]
	schemas former[*flowcontrol.FlowSchema, classify.Schema]
}

// named is an API object; it is compared as a pointer.
type named interface {
	comparable
	GetName() string
}

// former is what is known of the objects of one kind, by name.
type former[O named, P any] map[string]translated[O, P]

type translated[O named, P any] struct {
	object O // what was translated last
	err    error
	good   bool
	plain  P // the last good form, if there was any
}

// update returns what is known of an object after translating it, which it
// does only if it is not the one translated last: a list of ten thousand has
// mostly old ones.
func (f former[O, P]) update(object O, translate func(O) (P, error)) translated[O, P] {
	known, ok := f[object.GetName()]
	if ok && known.object == object {
		return known
	}
	plain, err := translate(object)
	known.object, known.err = object, err
	if err == nil {
		known.plain, known.good = plain, true
	}
	return known
}

// NewTranslator returns a Translator for a server of total seats.
func NewTranslator(total int) *Translator {
	return &Translator{total: total}
}

// Translate returns the configuration that the objects make up, and the objects
// that are invalid. Levels and schemas are in order of name. Mandatory objects that
// the API lacks are missing: the engine adds them. The objects must not change
// afterwards.
func (t *Translator) Translate(levels []*flowcontrol.PriorityLevelConfiguration, schemas []*flowcontrol.FlowSchema) (engine.Configuration, []engine.Problem) {
	var problems []engine.Problem
	t.levels = t.levels.next(levels, translateLevel, func(name string, err error) {
		problems = append(problems, engine.Problem{Kind: engine.LevelKind, Name: name, Err: err})
	})
	t.schemas = t.schemas.next(schemas, translateSchema, func(name string, err error) {
		problems = append(problems, engine.Problem{Kind: engine.SchemaKind, Name: name, Err: err})
	})
	return engine.Configuration{Total: t.total, Levels: t.levels.inEffect(), Schemas: t.schemas.inEffect()}, problems
}

// next returns the translations of the objects, and calls problem for each that is
// invalid, in order of name.
func (f former[O, P]) next(objects []O, translate func(O) (P, error), problem func(string, error)) former[O, P] {
	next := make(former[O, P], len(objects))
	for _, object := range objects {
		next[object.GetName()] = f.update(object, translate)
	}
	for _, name := range slices.Sorted(maps.Keys(next)) {
		if err := next[name].err; err != nil {
			problem(name, err)
		}
	}
	return next
}

func (f former[O, P]) inEffect() []P {
	list := make([]P, 0, len(f))
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if f[name].good {
			list = append(list, f[name].plain)
		}
	}
	return list
}
