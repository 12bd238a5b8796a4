package table

import (
	"cmp"
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

// WriteWords writes a text without control characters, on lines of the terminal's width or of TextWidth, if
// words permit it. Each line begins with the indentation.
func WriteWords(w io.Writer, text, indentation string, options Options) {
	width := cmp.Or(options.Width, TextWidth)
	for _, line := range Wrap(Escape(text), width-utf8.RuneCountInString(indentation)) {
		fmt.Fprintln(w, indentation+line)
	}
}
