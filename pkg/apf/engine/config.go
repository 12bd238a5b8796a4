package engine

import (
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
