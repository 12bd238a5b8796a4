package measurement

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// Publish prints the text and writes it into the named section of a file, as the result
// of a command. The path is relative to the top of the repository.
func Publish(command, section, file, text string) error {
	fmt.Print(text)
	root, err := binaries.Root()
	if err != nil {
		return err
	}
	return write(filepath.Join(root, file), command, section, text)
}

// write replaces the text between two HTML comments and leaves everything else
// unchanged. It appends a missing section and creates a missing file.
func write(path, command, section, text string) error {
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, []byte(replace(string(before), command, section, text)), 0o644)
}

func replace(document, command, section, text string) string {
	begin, end := fmt.Sprintf("<!-- %s: begin; written by %s -->\n", section, command), fmt.Sprintf("<!-- %s: end -->\n", section)
	text = begin + text + end
	if before, rest, found := strings.Cut(document, begin); found {
		if _, after, found := strings.Cut(rest, end); found {
			return before + text + after
		}
	}
	if document == "" {
		document = "# Benchmarks\n"
	}
	return strings.TrimRight(document, "\n") + "\n\n" + text
}
