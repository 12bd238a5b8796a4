package table

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable is a writer to a terminal.
type printable struct {
	out io.Writer
	// cut is the beginning of a character that the next call continues.
	cut []byte
}

// Printable returns a writer that writes control characters as escape sequences, such as \u001b, which JSON
// has too: a stranger may have chosen a part of any output. It leaves ends of lines and tabs.
func Printable(out io.Writer) io.Writer { return &printable{out: out} }

// Write implements io.Writer.
func (p *printable) Write(text []byte) (int, error) {
	all := append(p.cut, text...) //nolint:gocritic // cut is replaced below
	end := len(all)
	for back := 1; back < utf8.UTFMax && back <= len(all); back++ {
		if utf8.RuneStart(all[len(all)-back]) {
			if !utf8.FullRune(all[len(all)-back:]) {
				end -= back
			}
			break
		}
	}
	p.cut = append([]byte(nil), all[end:]...)
	if _, err := io.WriteString(p.out, visible(string(all[:end]))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// visible returns a text with its control characters as escape sequences, and U+FFFD for what is no character.
func visible(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, isControl) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if isControl(r) {
			fmt.Fprintf(&out, "\\u%04x", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// isControl reports whether a terminal does not print a character: it acts on it, or writes from right to left.
func isControl(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
}
