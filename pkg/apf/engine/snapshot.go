package engine

import (
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/classify"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// snapshot is the configuration in the form that requests use. It never changes.
type snapshot struct {
	classifier *classify.Classifier
	entries    []*schemaEntry // in matching order
	levels     map[string]*level
	configs    map[string]*LevelConfig // of the levels that take effect
}

// schemaEntry is one flow schema with its level and what else its requests need.
type schemaEntry struct {
	schema *rules.Schema
	level  *level
	config *LevelConfig // of the level
	queues bool         // requests wait, so the flow matters
	hasher *flow.Hasher
	series *stats.Series
}

// shareConfigs returns the configurations, unchanged ones at the same address.
func (s *snapshot) shareConfigs(configs map[string]LevelConfig) map[string]*LevelConfig {
	shared := make(map[string]*LevelConfig, len(configs))
	for name, config := range configs {
		if former := s.configs[name]; former != nil && former.equal(&config) {
			shared[name] = former
			continue
		}
		shared[name] = &config
	}
	return shared
}

// newEntry returns the entry of a schema in s. It removes the entry that it continues from
// those known, by name.
func (e *Engine) newEntry(s *snapshot, schema *rules.Schema, known map[string]*schemaEntry) *schemaEntry {
	c := &schemaEntry{schema: schema, level: e.levels[schema.Level], config: s.configs[schema.Level]}
	c.queues = c.config.Discipline == queueset.Queue
	if e.inherit(c, known[schema.Name]) {
		delete(known, schema.Name)
	}
	return c
}

// inherit completes c with what the same schema in the current snapshot
// has; that may be nil. It reports whether c continues its figures.
func (e *Engine) inherit(c, former *schemaEntry) bool {
	if former == nil {
		c.hasher = flow.NewHasher(c.schema.Name, &e.hashes)
	} else {
		c.hasher = former.hasher
		if former.series.Level == c.schema.Level {
			c.series = former.series
			return true
		}
	}
	if c.series = e.retired.revive(c.schema.Level, c.schema.Name); c.series == nil {
		c.series = e.layout.NewSeries(c.schema.Level, c.schema.Name)
	}
	return false
}

// queued returns the schemas whose requests wait, by name.
func (s *snapshot) queued() map[string]*rules.Schema {
	schemas := make(map[string]*rules.Schema, len(s.entries))
	for _, c := range s.entries {
		if c.queues {
			schemas[c.schema.Name] = c.schema
		}
	}
	return schemas
}

// classify returns the entry of a request's schema.
func (s *snapshot) classify(a *flow.Attributes) *schemaEntry {
	if i := s.classifier.Match(a); i >= 0 {
		return s.entries[i]
	}
	return s.entries[len(s.entries)-1] // catch-all, the last in matching order
}
