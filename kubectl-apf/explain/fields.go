package explain

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

const (
	// labelWidth is the width of labels with the space behind them, in characters.
	labelWidth = 17
	// minTextWidth is the least width of wrapped texts.
	minTextWidth = 20
)

// fields are texts with labels, one below the other.
type fields []field

type field struct{ label, text string }

// add adds a text. An empty label continues the text above.
func (f *fields) add(label, text string) { *f = append(*f, field{label, table.Escape(text)}) }

// write writes the fields. Texts are wrapped at the width of the terminal.
func (f fields) write(w io.Writer, options table.Options) error {
	out := bufio.NewWriter(w)
	for _, one := range f {
		label := one.label
		for _, line := range wrap(one.text, options) {
			fmt.Fprintf(out, "%-*s%s\n", labelWidth, label, line)
			label = ""
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

// wrap divides a text into lines at its spaces.
func wrap(text string, options table.Options) []string {
	if options.Wide || options.Width <= 0 {
		return []string{text}
	}
	width := max(options.Width-labelWidth, minTextWidth)
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
