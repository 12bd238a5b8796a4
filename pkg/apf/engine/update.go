package engine

import (
	"errors"
	"maps"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// Change is a change of the configuration of an Engine.
type Change struct {
	// Levels are all priority levels, as in a Configuration.
	Levels []LevelConfig
	// Schemas are the flow schemas that are new or have changed.
	Schemas []rules.Schema
	// Removed are the names of the flow schemas that are gone.
	Removed []string
}

// Apply replaces the configuration and returns its invalid objects.
func (e *Engine) Apply(c Configuration) []Problem {
	e.mu.Lock()
	defer e.unlock()
	return e.update(Change{Levels: c.Levels, Schemas: c.Schemas, Removed: e.names()})
}

// Update changes the configuration, and returns the invalid objects of the change. The outcome
// equals an Apply of the whole configuration after the change. Schemas that do not change keep their
// figures and are not translated again; the index of all schemas is made anew.
func (e *Engine) Update(c Change) []Problem {
	e.mu.Lock()
	defer e.unlock()
	return e.update(c)
}

// update changes the configuration. A schema that is both set and removed is set.
func (e *Engine) update(c Change) []Problem {
	configs, problems := e.levelsOf(c.Levels)
	schemas, touched, more := c.valid()
	problems = append(problems, more...)
	set, removed := e.divideDangling(schemas, touched, c.Removed, configs)
	problems = append(problems, e.configure(configs)...)
	e.current.Store(e.nextSnapshot(set, removed, touched, configs))
	e.settle(configs)
	return problems
}

// names returns the names of all schemas, those without a level too.
func (e *Engine) names() []string {
	schemas := e.Schemas()
	names := slices.AppendSeq(make([]string, 0, len(schemas)+len(e.dangling)), maps.Keys(e.dangling))
	for _, schema := range schemas {
		names = append(names, schema.Name)
	}
	return names
}

// valid returns the schemas of the change that have a name of their own, and their names.
func (c *Change) valid() (schemas []rules.Schema, names map[string]bool, problems []Problem) {
	schemas, names = make([]rules.Schema, 0, len(c.Schemas)), make(map[string]bool, len(c.Schemas))
	for i := range c.Schemas {
		yieldAt(i)
		s := &c.Schemas[i]
		switch {
		case s.Name == "":
			problems = append(problems, Problem{SchemaKind, s.Name, errors.New("name must not be empty")})
		case names[s.Name]:
			problems = append(problems, Problem{SchemaKind, s.Name, errors.New("duplicate name: a flow schema of this name was already configured")})
		default:
			names[s.Name] = true
			schemas = append(schemas, *s)
		}
	}
	return schemas, names, problems
}

// divideDangling keeps the schemas without a level, and returns the schemas that take effect and
// the names of schemas that no longer do. A change of the levels concerns other schemas too. It
// overwrites changed, and adds all names to those touched.
func (e *Engine) divideDangling(changed []rules.Schema, touched map[string]bool, removed []string, configs map[string]LevelConfig) (set []rules.Schema, gone []string) {
	for i, name := range removed {
		yieldAt(i)
		delete(e.dangling, name)
		if !touched[name] {
			touched[name] = true
			gone = append(gone, name)
		}
	}
	changed = append(changed, e.moved(configs, touched)...)
	set = changed[:0]
	for i, s := range changed {
		yieldAt(i)
		touched[s.Name] = true
		if _, ok := configs[s.Level]; ok {
			delete(e.dangling, s.Name)
			set = append(set, s)
			continue
		}
		e.dangling[s.Name] = s // package statussync says so in its status
		gone = append(gone, s.Name)
	}
	for _, mandatory := range MandatorySchemas() {
		if i := slices.Index(gone, mandatory.Name); i >= 0 {
			gone = slices.Delete(gone, i, i+1)
			set = append(set, mandatory)
		}
	}
	return set, gone
}

// moved returns the schemas, but for those touched, that get a level or lose it.
func (e *Engine) moved(configs map[string]LevelConfig, touched map[string]bool) (schemas []rules.Schema) {
	for name, schema := range e.dangling {
		if _, ok := configs[schema.Level]; ok && !touched[name] {
			schemas = append(schemas, schema)
		}
	}
	current := e.current.Load()
	for name := range current.configs {
		if _, ok := configs[name]; ok {
			continue
		}
		for i, c := range current.classes {
			yieldAt(i)
			if c.schema.Level == name && !touched[c.schema.Name] {
				schemas = append(schemas, *c.schema)
			}
		}
	}
	return schemas
}

// nextSnapshot returns the snapshot that follows the current one. It shares the classes of
// schemas that have not changed.
func (e *Engine) nextSnapshot(set []rules.Schema, removed []string, touched map[string]bool, configs map[string]LevelConfig) *snapshot {
	former := e.current.Load()
	s := &snapshot{classifier: former.classifier.Changed(set, removed), levels: maps.Clone(e.levels)}
	var changed map[string]bool
	s.configs, changed = former.shareConfigs(configs)
	var gone map[string]*class
	gone, s.classes = former.classesBut(s.classifier.Schemas(), touched)
	for i, c := range s.classes {
		yieldAt(i)
		switch {
		case c == nil:
			s.classes[i] = e.newClass(s, s.classifier.Schemas()[i], gone)
		case len(changed) > 0 && changed[c.schema.Level]:
			s.classes[i] = e.newClass(s, c.schema, map[string]*class{c.schema.Name: c})
		}
	}
	e.retire(gone)
	return s
}

// classesBut returns the snapshot's classes of these schemas, nil for touched ones, and by name
// the classes of other schemas.
func (s *snapshot) classesBut(schemas []*rules.Schema, touched map[string]bool) (gone map[string]*class, classes []*class) {
	gone, classes = make(map[string]*class, len(touched)), make([]*class, len(schemas))
	at := 0 // both are in matching order
	for i, schema := range schemas {
		yieldAt(i)
		if at < len(s.classes) && s.classes[at].schema == schema {
			classes[i] = s.classes[at]
			at++
			continue
		}
		if touched[schema.Name] {
			continue
		}
		for ; s.classes[at].schema != schema; at++ {
			gone[s.classes[at].schema.Name] = s.classes[at]
		}
		classes[i] = s.classes[at]
		at++
	}
	for _, c := range s.classes[at:] {
		gone[c.schema.Name] = c
	}
	return gone, classes
}
