package engine

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/classify"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// Apply replaces the configuration and returns its invalid objects. Schemas that stay on their level
// keep their figures.
func (e *Engine) Apply(c Configuration) []Problem {
	e.mu.Lock()
	defer e.unlock()
	configs, problems := e.levelsOf(c.Levels)
	schemas, dangling, more := chooseSchemas(c.Schemas, configs)
	problems = append(append(problems, more...), e.configure(configs)...)
	e.current.Store(e.nextSnapshot(schemas, configs))
	e.settle(configs)
	e.observer.Applied(e.Schemas(), dangling)
	return problems
}

// levelsOf returns the levels that take effect, by name: the valid ones, and the mandatory ones.
func (e *Engine) levelsOf(configured []LevelConfig) (configs map[string]LevelConfig, problems []Problem) {
	configs = make(map[string]LevelConfig, len(configured)+2)
	for _, c := range configured {
		err := c.Validate()
		if _, twice := configs[c.Name]; twice {
			err = errors.New("duplicate name: a priority level of this name was already configured")
		}
		if err != nil {
			problems = append(problems, Problem{LevelKind, c.Name, err})
			continue
		}
		configs[c.Name] = c
	}
	for _, config := range MandatoryLevels() {
		if _, ok := configs[config.Name]; !ok {
			configs[config.Name] = config
			e.observer.LevelChanged(config, Supplied)
		}
	}
	return configs, problems
}

// chooseSchemas returns the schemas that take effect, and those without a level, by name.
func chooseSchemas(configured []rules.Schema, configs map[string]LevelConfig) (chosen, dangling []rules.Schema, problems []Problem) {
	enforced := make(map[string]bool, len(configured)) // by name, of those seen
	chosen = make([]rules.Schema, 0, len(configured)+2)
	for i := range configured {
		yieldAt(i)
		s := &configured[i]
		_, hasLevel := configs[s.Level]
		_, twice := enforced[s.Name]
		switch {
		case s.Name == "":
			problems = append(problems, Problem{SchemaKind, s.Name, errors.New("name must not be empty")})
		case twice:
			problems = append(problems, Problem{SchemaKind, s.Name, errors.New("duplicate name: a flow schema of this name was already configured")})
		case !hasLevel:
			dangling = append(dangling, *s) // package statussync says so in its status
			enforced[s.Name] = false
		default:
			chosen = append(chosen, *s)
			enforced[s.Name] = true
		}
	}
	for _, mandatory := range MandatorySchemas() {
		if !enforced[mandatory.Name] {
			chosen = append(chosen, mandatory)
		}
	}
	slices.SortFunc(dangling, func(a, b rules.Schema) int { return cmp.Compare(a.Name, b.Name) })
	return chosen, dangling, problems
}

// nextSnapshot returns the snapshot that follows the current one.
func (e *Engine) nextSnapshot(schemas []rules.Schema, configs map[string]LevelConfig) *snapshot {
	former := e.current.Load()
	s := &snapshot{classifier: classify.New(schemas), levels: maps.Clone(e.levels), configs: former.shareConfigs(configs)}
	known := make(map[string]*schemaEntry, len(former.entries))
	for _, c := range former.entries {
		known[c.schema.Name] = c
	}
	s.entries = make([]*schemaEntry, len(schemas))
	for i, schema := range s.classifier.Schemas() {
		yieldAt(i)
		s.entries[i] = e.newEntry(s, schema, known)
	}
	for _, gone := range known {
		e.retired.add(gone.series)
	}
	return s
}
