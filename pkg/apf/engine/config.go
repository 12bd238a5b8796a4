package engine

import (
	"errors"
	"fmt"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/classify"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/prioritylevel"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
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

// The users that the built-in schemas apply to.
const (
	mastersGroup         = "system:masters"
	authenticatedGroup   = "system:authenticated"
	unauthenticatedGroup = "system:unauthenticated"
)

// builtInLevels are the levels that act where the configuration has none.
func builtInLevels() []prioritylevel.Config {
	return []prioritylevel.Config{
		{Name: prioritylevel.ExemptName, Config: queueset.Config{Discipline: queueset.Exempt}},
		{
			Name:   prioritylevel.CatchAllName,
			Config: queueset.Config{Discipline: queueset.Reject},
			Share:  allocation.Share{Shares: 5},
		},
	}
}

// builtInSchemas are the schemas that act where the configuration has none.
func builtInSchemas() []classify.Schema {
	return []classify.Schema{
		{
			Name: prioritylevel.ExemptName, Level: prioritylevel.ExemptName, Precedence: 1,
			Rules: []classify.Rule{everythingBy(mastersGroup)},
		},
		{
			Name: prioritylevel.CatchAllName, Level: prioritylevel.CatchAllName, Precedence: 10000,
			Distinguisher: classify.ByUser,
			Rules:         []classify.Rule{everythingBy(authenticatedGroup, unauthenticatedGroup)},
		},
	}
}

func everythingBy(groups ...string) classify.Rule {
	all := []string{classify.All}
	rule := classify.Rule{
		ResourceRules:    []classify.ResourceRule{{Verbs: all, APIGroups: all, Resources: all, ClusterScope: true, Namespaces: all}},
		NonResourceRules: []classify.NonResourceRule{{Verbs: all, URLs: all}},
	}
	for _, group := range groups {
		rule.Subjects = append(rule.Subjects, classify.Subject{Kind: classify.Group, Name: group})
	}
	return rule
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
	for _, c := range builtInLevels() {
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
			problems = append(problems, Problem{SchemaKind, s.Name, fmt.Errorf("a flow schema must have a name")})
			continue
		}
		if _, ok := levels[s.Level]; !ok {
			continue // dangling: said in its status
		}
		names[s.Name] = true
		chosen = append(chosen, *s)
	}
	for _, s := range builtInSchemas() {
		if !names[s.Name] {
			chosen = append(chosen, s)
		}
	}
	return chosen, problems
}
