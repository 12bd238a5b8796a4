package engine

import (
	"errors"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// Configuration is the flow schemas and priority levels of an Engine. The total is no part
// of it, see SetTotal.
type Configuration struct {
	Levels  []LevelConfig
	Schemas []rules.Schema
}

// Kind is the kind of a configuration object.
type Kind string

// The kinds.
const (
	LevelKind  Kind = "PriorityLevelConfiguration"
	SchemaKind Kind = "FlowSchema"
)

// Problem is an invalid object of the configuration.
type Problem struct {
	Kind Kind
	Name string
	Err  error
}

// chooseLevels returns the levels that take effect, by name: the valid ones. Mandatory ones may be
// missing.
func chooseLevels(configured []LevelConfig) (map[string]LevelConfig, []Problem) {
	var problems []Problem
	chosen := make(map[string]LevelConfig, len(configured)+2)
	for _, c := range configured {
		err := c.Validate()
		if _, twice := chosen[c.Name]; twice {
			problems = append(problems, Problem{LevelKind, c.Name, errors.New("duplicate name: a priority level of this name was already configured")})
			continue
		}
		if err != nil {
			problems = append(problems, Problem{LevelKind, c.Name, err})
			continue
		}
		chosen[c.Name] = c
	}
	return chosen, problems
}
