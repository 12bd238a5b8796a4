package engine

import (
	"maps"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/classify"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/mandatory"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/prioritylevel"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
)

// snapshot is the configuration in the form that requests use. It never changes.
type snapshot struct {
	classifier *classify.Classifier
	classes    []class // in matching order
	catchAll   *class  // of the requests that no schema matches
	levels     map[string]*prioritylevel.Level
}

// class is one flow schema with what its requests need.
type class struct {
	schema *classify.Schema
	level  *prioritylevel.Level
	config *prioritylevel.Config // of the level
	queues bool                  // there are several queues, so the flow matters
	hasher *flow.Hasher
	series *stats.Series
}

// newSnapshot returns the snapshot of valid schemas and their levels. A schema that
// the previous snapshot has keeps its flow hashes and, on the same level, its figures.
func newSnapshot(layout *stats.Layout, schemas []classify.Schema, levels map[string]*prioritylevel.Level, configs map[string]prioritylevel.Config, previous *snapshot) *snapshot {
	shared := make(map[string]*prioritylevel.Config, len(configs))
	for name, c := range configs {
		shared[name] = &c
	}
	s := &snapshot{classifier: classify.New(schemas), levels: maps.Clone(levels)}
	sorted := s.classifier.Schemas()
	s.classes = make([]class, len(sorted))
	known := previous.byName()
	for i := range sorted {
		yieldAt(i)
		schema := &sorted[i]
		c := &s.classes[i]
		*c = class{
			schema: schema,
			level:  levels[schema.Level],
			config: shared[schema.Level],
		}
		c.queues = c.config.Discipline == queueset.Queue && c.config.Queues > 1
		c.inherit(known[schema.Name], layout)
		if schema.Name == mandatory.CatchAll {
			s.catchAll = c
		}
	}
	return s
}

func (s *snapshot) byName() map[string]*class {
	if s == nil {
		return nil
	}
	known := make(map[string]*class, len(s.classes))
	for i := range s.classes {
		yieldAt(i)
		known[s.classes[i].schema.Name] = &s.classes[i]
	}
	return known
}

func (c *class) inherit(previous *class, layout *stats.Layout) {
	if previous != nil {
		c.hasher = previous.hasher
		if previous.level == c.level {
			c.series = previous.series
		}
	}
	if c.hasher == nil {
		c.hasher = flow.NewHasher(c.schema.Name)
	}
	if c.series == nil {
		c.series = layout.NewSeries(c.schema.Level, c.schema.Name)
	}
}

// classify returns the class of a request.
func (s *snapshot) classify(a *flow.Attributes) *class {
	if i := s.classifier.Match(a); i >= 0 {
		return &s.classes[i]
	}
	return s.catchAll
}
