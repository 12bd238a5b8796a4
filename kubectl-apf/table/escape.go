package table

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape returns text with control characters as escape sequences of Go, so that a client cannot
// write to the terminal of a table's reader.
func Escape(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, unprintable) {
		return text
	}
	quoted := strconv.Quote(text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }
