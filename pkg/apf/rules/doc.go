// Package rules says which requests a flow schema matches, and why it does not match
// others. It compares one schema with one request; package classify has an index of many.
package rules
