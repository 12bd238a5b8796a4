package engine

import (
	"errors"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/classify"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/prioritylevel"
)

// Configuration is all that the engine is told from outside.
type Configuration struct {
	// Total is the number of seats of the server.
	Total   int
	Levels  []prioritylevel.Config
	Schemas []classify.Schema
}

// Kind is the kind of a configuration object.
type Kind string

// The kinds.
const (
	LevelKind  Kind = "PriorityLevelConfiguration"
	SchemaKind Kind = "FlowSchema"
)

// Problem says why an object of the configuration was left out.
type Problem struct {
	Kind Kind
	Name string
	Err  error
}

// chooseLevels returns the valid levels of a configuration by name, with the
// last good form of those that are malformed, and the built-in ones.
func chooseLevels(configured []prioritylevel.Config, last func(name string) (prioritylevel.Config, bool)) (map[string]prioritylevel.Config, []Problem) {
	var problems []Problem
	chosen := make(map[string]prioritylevel.Config, len(configured)+2)
	for _, c := range configured {
		err := c.Validate()
		if _, twice := chosen[c.Name]; twice {
			problems = append(problems, Problem{LevelKind, c.Name, errors.New("there is another priority level of that name")})
			continue
		}
		if err == nil {
			chosen[c.Name] = c
			continue
		}
		problems = append(problems, Problem{LevelKind, c.Name, err})
		if former, ok := last(c.Name); ok {
			chosen[c.Name] = former
		}
	}
	for _, c := range MandatoryLevels() {
		if _, ok := chosen[c.Name]; !ok {
			chosen[c.Name] = c
		}
	}
	return chosen, problems
}

// chooseSchemas returns the schemas that take part, and the built-in ones.
func chooseSchemas(configured []classify.Schema, levels map[string]prioritylevel.Config) ([]classify.Schema, []Problem) {
	var problems []Problem
	names := make(map[string]bool, len(configured)+2)
	chosen := make([]classify.Schema, 0, len(configured)+2)
	for i := range configured {
		breathe(i)
		s := &configured[i]
		if names[s.Name] {
			problems = append(problems, Problem{SchemaKind, s.Name, errors.New("there is another flow schema of that name")})
			continue
		}
		if s.Name == "" {
			problems = append(problems, Problem{SchemaKind, s.Name, errors.New("a flow schema must have a name")})
			continue
		}
		if _, ok := levels[s.Level]; !ok {
			continue // dangling: said in its status
		}
		names[s.Name] = true
		chosen = append(chosen, *s)
	}
	for _, s := range MandatorySchemas() {
		if !names[s.Name] {
			chosen = append(chosen, s)
		}
	}
	return chosen, problems
}
