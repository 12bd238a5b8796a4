package rules

import "slices"

// IsAll reports whether a list of a rule covers everything.
func IsAll(list []string) bool { return len(list) == 1 && list[0] == All }

// Covers reports whether a list of a rule covers a value, which may be All.
func Covers(list []string, value string) bool { return IsAll(list) || slices.Contains(list, value) }

// Intersect reports whether some value is covered by both lists.
func Intersect(a, b []string) bool {
	switch {
	case len(a) == 0 || len(b) == 0:
		return false
	case IsAll(a) || IsAll(b):
		return true
	case len(a) > fewPairs/len(b):
		values := make(map[string]struct{}, len(a))
		for _, value := range a {
			values[value] = struct{}{}
		}
		return slices.ContainsFunc(b, func(value string) bool {
			_, found := values[value]
			return found
		})
	default:
		return slices.ContainsFunc(a, func(value string) bool { return slices.Contains(b, value) })
	}
}

// fewPairs is how many pairs are compared one by one: a map would cost more.
const fewPairs = 64
