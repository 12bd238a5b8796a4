// Package rules decides which requests a flow schema matches, why it does not match others, which
// users a subject selects, and the matching order of schemas. It compares one schema with one
// request; package classify has an index of many. SchemaOf makes a schema of an object of the API.
package rules
