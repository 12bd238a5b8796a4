// Package objects makes FlowSchemas and PriorityLevelConfigurations for tests
// from a seed: valid ones, nearly valid ones and wild ones. Objects are made in
// v1; as trees of JSON they can be mutated, and reduced to the smallest one
// that still shows a failure.
package objects
