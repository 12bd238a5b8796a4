package table

import (
	"fmt"
	"io"
)

// Section is a table with a title.
type Section struct {
	Title string
	Table Table
	// Empty is written instead of a table without rows; if it is empty too, nothing of the section is.
	Empty string
	// Most is the number of rows, unless the table is wide; 0 for all.
	Most int
}

// WriteSections writes sections, with an empty line between them.
func WriteSections(w io.Writer, options Options, sections ...Section) error {
	between := ""
	for _, s := range sections {
		if len(s.Table.Rows) == 0 && s.Empty == "" {
			continue
		}
		fmt.Fprintf(w, "%s%s\n", between, s.Title)
		between = "\n"
		if len(s.Table.Rows) == 0 {
			fmt.Fprintln(w, s.Empty)
			continue
		}
		more := len(s.Table.Rows) - s.Most
		if options.Wide || s.Most == 0 || more < 0 {
			more = 0
		}
		s.Table.Rows = s.Table.Rows[:len(s.Table.Rows)-more]
		if err := s.Table.Write(w, options); err != nil {
			return err
		}
		if more > 0 {
			fmt.Fprintf(w, "%d more; wide output shows them.\n", more)
		}
	}
	return nil
}
