// Package apiclient executes the operations of package linearizability on
// PriorityLevelConfigurations of a server, and converts its answers to the models.
package apiclient
