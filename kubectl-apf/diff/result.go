package diff

import "github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"

// Result is what a change does.
type Result struct {
	// Objects are the objects that differ, by kind and name.
	Objects []Object `json:"objects"`
	// Basis says what the moves were found with.
	Basis Basis `json:"basis"`
	// Checked is the number of requests or combinations that were classified, Moved the number that
	// move.
	Checked int `json:"checked"`
	Moved   int `json:"moved"`
	// Cut reports whether there are more combinations than were classified.
	Cut bool `json:"cut,omitempty"`
	// Moves are the most frequent first.
	Moves []Move `json:"moves"`
	// FlowSchemas are the ones that stop or start to match, by name.
	FlowSchemas []FlowSchema `json:"flowSchemas"`
	// Levels are all priority levels, by name.
	Levels []Level `json:"priorityLevels"`
	// Notes are sentences about what was inferred, and what was left out.
	Notes []string `json:"notes,omitempty"`
}

// Changes reports whether the change does anything.
func (r *Result) Changes() bool { return len(r.Objects) > 0 || r.Moved > 0 }

// Basis is what moves are found with.
type Basis string

// The bases, see the package comment.
const (
	Requests     Basis = "requests"
	Combinations Basis = "combinations"
)

// Change is what happens to an object.
type Change string

// The changes.
const (
	Added   Change = "added"
	Changed Change = "changed"
	Removed Change = "removed"
)

// Object is an object that differs.
type Object struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Change Change `json:"change"`
}

// Place is where a request is classified to.
type Place struct {
	FlowSchema    string `json:"flowSchema"`
	PriorityLevel string `json:"priorityLevel"`
}

// Move is the requests that move from one place to another.
type Move struct {
	From Place `json:"from"`
	To   Place `json:"to"`
	// Count is the number of requests or combinations.
	Count      int `json:"count"`
	Users      Top `json:"users"`
	Verbs      Top `json:"verbs"`
	Resources  Top `json:"resources"`
	Namespaces Top `json:"namespaces"`
}

// Top is the most frequent values of an attribute.
type Top struct {
	Values []Value `json:"values"`
	// More is the number of further values.
	More int `json:"more,omitempty"`
}

// Value is a value and how often it occurs. "*" stands for all values that no rule
// names.
type Value struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Matching is how a change affects whether a schema matches any request.
type Matching string

// The effects on a schema that is not removed.
const (
	// Stops: it matched requests, and matches none after the change.
	Stops Matching = "stops matching"
	// Starts: it matched no request before the change.
	Starts Matching = "starts matching"
	// Never: it is added, and matches no request.
	Never Matching = "never matches"
)

// FlowSchema is a flow schema that stops or starts to match.
type FlowSchema struct {
	Name     string   `json:"name"`
	Matching Matching `json:"matching"`
	// Because says why it does not match, before or after.
	Because string `json:"because"`
}

// Level is a priority level before and after.
type Level struct {
	Name string `json:"name"`
	// Before and After are nil where the level does not exist.
	Before *Limits `json:"before"`
	After  *Limits `json:"after"`
	// LosesMoreThanHalf reports whether the nominal limit falls below its half.
	LosesMoreThanHalf bool `json:"losesMoreThanHalf,omitempty"`
}

// Limits are the limits of a priority level, in seats of one replica.
type Limits struct {
	// Type is Exempt, Reject or Queue.
	Type   string `json:"type"`
	Shares int32  `json:"shares"`
	configuration.Limits
	// Lendable is how many seats the level lends at most, Borrowable how many it
	// borrows at most.
	Lendable   int `json:"lendable"`
	Borrowable int `json:"borrowable"`
}
