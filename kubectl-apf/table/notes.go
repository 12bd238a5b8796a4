package table

import (
	"io"
	"strings"
)

// WriteNotes writes sentences that belong to an answer, a line each. Unless there are none, before
// is written before them.
func WriteNotes(w io.Writer, before string, notes []string) error {
	if len(notes) == 0 {
		return nil
	}
	var text strings.Builder
	text.WriteString(before)
	for _, note := range notes {
		text.WriteString("Note: " + Escape(note) + "\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}
