package table

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Wrap divides a text at its spaces into lines of at most width characters, if words permit it.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			lines, line = append(lines, line), word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// WriteWords writes a text on lines of at most width characters, if words permit it. Each
// line begins with the indentation.
func WriteWords(w io.Writer, text, indentation string, width int) {
	for _, line := range Wrap(text, width-utf8.RuneCountInString(indentation)) {
		fmt.Fprintln(w, indentation+line)
	}
}
