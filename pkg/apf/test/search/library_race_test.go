//go:build race

package search

// libraries returns nothing: the library is not built in.
func libraries() []Discipline { return nil }
