// Package document writes measured sections into Markdown files that hold other
// text too.
package document

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// Section is a part of a file, between two comments that a reader does not see.
type Section struct {
	// Name is in both comments.
	Name string
	// Writer is the command that writes the section.
	Writer string
}

func (s Section) begin() string {
	return fmt.Sprintf("<!-- %s: begin; written by %s -->\n", s.Name, s.Writer)
}
func (s Section) end() string { return fmt.Sprintf("<!-- %s: end -->\n", s.Name) }

// Publish prints the text and puts it into the section of docs/benchmarks.md or
// another file, named from the top of the repository.
func (s Section) Publish(file, text string) error {
	fmt.Print(text)
	root, err := binaries.Root()
	if err != nil {
		return err
	}
	return s.Write(filepath.Join(root, file), "Benchmarks", text)
}

// Write puts text into the section of the file at path and leaves everything
// else alone. A section that is not there yet comes to the end, and a file that
// is not there is made, with the title.
func (s Section) Write(path, title, text string) error {
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(s.replace(string(before), title, text)), 0o644)
}

func (s Section) replace(document, title, text string) string {
	text = s.begin() + text + s.end()
	if before, rest, found := strings.Cut(document, s.begin()); found {
		if _, after, found := strings.Cut(rest, s.end()); found {
			return before + text + after
		}
	}
	if document == "" {
		document = "# " + title + "\n"
	}
	return strings.TrimRight(document, "\n") + "\n\n" + text
}
