// Package objects generates FlowSchemas and PriorityLevelConfigurations for
// tests from a seed: valid, nearly valid and wild ones. Objects are generated
// in v1. As trees of JSON they can be mutated, and reduced to the smallest tree
// that still shows a failure.
package objects
