package table

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// WriteWords writes a text on lines of at most width characters, if words permit it. Each
// line begins with the indentation.
func WriteWords(w io.Writer, text, indentation string, width int) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = indentation + word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			fmt.Fprintln(w, line)
			line = indentation + word
		default:
			line += " " + word
		}
	}
	fmt.Fprintln(w, line)
}
