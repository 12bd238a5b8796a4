package table

import (
	"fmt"
	"io"
)

// Section is a table with a title.
type Section struct {
	Title string
	Table Table
	// Empty is written instead of a table without rows.
	Empty string
	// Most is the number of rows, unless the table is wide; 0 for all.
	Most int
}

// Write writes the title and the table.
func (s Section) Write(w io.Writer, options Options) error {
	fmt.Fprintln(w, s.Title)
	if len(s.Table.Rows) == 0 {
		fmt.Fprintln(w, s.Empty)
		return nil
	}
	more := len(s.Table.Rows) - s.Most
	if options.Wide || s.Most == 0 || more <= 0 {
		return s.Table.Write(w, options)
	}
	s.Table.Rows = s.Table.Rows[:s.Most]
	if err := s.Table.Write(w, options); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d more; wide output shows them.\n", more)
	return err
}
