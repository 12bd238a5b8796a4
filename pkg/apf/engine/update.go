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

// Update changes the configuration, and returns the invalid objects of the change. The outcome
// equals an Apply of the whole configuration after the change. Its cost depends on what changes,
// unless levels were added or removed.
func (e *Engine) Update(c Change) []Problem {
	e.mu.Lock()
	defer e.unlock()
	configs, problems := e.levelsOf(c.Levels)
	changed, more := c.valid()
	problems = append(problems, more...)
	current := e.current.Load()
	if !sameNames(current.configs, configs) {
		return append(problems, e.apply(configs, e.changed(changed, c.Removed))...)
	}
	set, removed := e.divideDangling(changed, c.Removed, configs)
	problems = append(problems, e.configure(configs)...)
	e.current.Store(e.nextSnapshot(set, removed, configs))
	e.settle(configs)
	return problems
}

// valid returns the schemas of the change that have a name of their own.
func (c *Change) valid() (schemas []rules.Schema, problems []Problem) {
	names := make(map[string]bool, len(c.Schemas))
	for i := range c.Schemas {
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
	return schemas, problems
}

// sameNames reports whether both have the same levels.
func sameNames(former map[string]*LevelConfig, configs map[string]LevelConfig) bool {
	for name := range configs {
		if former[name] == nil {
			return false
		}
	}
	return len(former) == len(configs)
}

// changed returns all schemas after a change, those without a level too.
func (e *Engine) changed(set []rules.Schema, removed []string) []rules.Schema {
	gone := make(map[string]bool, len(set)+len(removed))
	for i := range set {
		gone[set[i].Name] = true
	}
	for _, name := range removed {
		gone[name] = true
	}
	all := slices.Clone(set)
	for name, schema := range e.dangling {
		if !gone[name] {
			all = append(all, schema)
			gone[name] = true // its mandatory form is in effect, if it is mandatory
		}
	}
	for _, schema := range e.Schemas() {
		if !gone[schema.Name] {
			all = append(all, *schema)
		}
	}
	return all
}

// divideDangling keeps the schemas without a level, and returns the schemas that take effect and
// the names of schemas that no longer do.
func (e *Engine) divideDangling(schemas []rules.Schema, removed []string, configs map[string]LevelConfig) (set []rules.Schema, gone []string) {
	for i := range schemas {
		s := &schemas[i]
		if _, ok := configs[s.Level]; ok {
			delete(e.dangling, s.Name)
			set = append(set, *s)
			continue
		}
		e.dangling[s.Name] = *s
		gone = append(gone, s.Name)
	}
	for _, name := range removed {
		if !slices.ContainsFunc(schemas, func(s rules.Schema) bool { return s.Name == name }) {
			delete(e.dangling, name)
			gone = append(gone, name)
		}
	}
	for _, mandatory := range MandatorySchemas() {
		if i := slices.Index(gone, mandatory.Name); i >= 0 {
			gone = slices.Delete(gone, i, i+1)
			set = append(set, mandatory)
		}
	}
	return set, gone
}

// nextSnapshot returns the snapshot that follows the current one. It shares the classes of
// schemas that have not changed.
func (e *Engine) nextSnapshot(set []rules.Schema, removed []string, configs map[string]LevelConfig) *snapshot {
	former := e.current.Load()
	s := &snapshot{classifier: former.classifier.Update(set, removed), levels: maps.Clone(e.levels)}
	var changed map[string]bool
	s.configs, changed = former.shareConfigs(configs)
	gone, fresh := former.classesBut(s.classifier.Schemas(), set)
	s.classes = fresh
	for i, c := range s.classes {
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

// classesBut returns the snapshot's classes of these schemas, nil for schemas in set, and by name
// the classes of other schemas.
func (s *snapshot) classesBut(schemas []*rules.Schema, set []rules.Schema) (gone map[string]*class, classes []*class) {
	fresh := make(map[string]bool, len(set))
	for i := range set {
		fresh[set[i].Name] = true
	}
	gone, classes = map[string]*class{}, make([]*class, len(schemas))
	at := 0 // both are in matching order
	for i, schema := range schemas {
		if at < len(s.classes) && s.classes[at].schema == schema {
			classes[i] = s.classes[at]
			at++
			continue
		}
		if fresh[schema.Name] {
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
