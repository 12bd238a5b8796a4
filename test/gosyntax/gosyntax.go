// Package gosyntax finds Go syntax and addresses in texts that people read, for tests.
package gosyntax

import "regexp"

var (
	// quoted is a string in double quotes, which may hold a client's text.
	quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	// value is a map that was shown as a string.
	value  = regexp.MustCompile(`Invalid value: "map\[`)
	syntax = regexp.MustCompile(`\bparsing time ""|\bGo (?:struct field|value)\b|\bstrconv\.|\binterface ?\{|\bruntime error\b|\b(?:u?int|float)(?:8|16|32|64)\b|&\{|\(\*\w|\b0x[0-9a-f]|\[\]\w|\bmap\[|\b[a-z]\w*\.[A-Z]\w*[{(]|\b[A-Z]\w*:""|\bnil\b|<nil>|%!`)
)

// Find returns the first Go syntax of a text outside of quotes, empty if there is none.
func Find(text string) string {
	if found := value.FindString(text); found != "" {
		return found
	}
	return syntax.FindString(quoted.ReplaceAllString(text, `""`))
}
