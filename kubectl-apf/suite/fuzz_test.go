package suite

import "testing"

// FuzzParse checks that no file makes the reader of suites panic, nor what a suite asks
// for.
func FuzzParse(f *testing.F) {
	f.Add([]byte(configured + "cases:\n- {name: a, request: " + list + ", expect: {seats: 1}}\n"))
	f.Add([]byte(header + "facts: {pods: {objects: -1, bytes: 9223372036854775807}}\n"))
	f.Add([]byte(header + "cases: [&a {name: x}, *a]\n"))
	f.Fuzz(func(_ *testing.T, content []byte) {
		s, err := Parse(content)
		if err != nil {
			return
		}
		s.Source()
		s.facts()
	})
}
