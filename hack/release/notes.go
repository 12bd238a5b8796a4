package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// notes returns the section of the changelog about the release, without its heading.
func (r *release) notes() (string, error) {
	content, err := os.ReadFile(filepath.Join(r.root, "CHANGELOG.md"))
	if err != nil {
		return "", err
	}
	return section(string(content), r.version)
}

func section(changelog, version string) (string, error) {
	for _, part := range strings.Split(changelog, "\n## ")[1:] {
		heading, text, _ := strings.Cut(part, "\n")
		if fields := strings.Fields(heading); len(fields) > 0 && strings.Trim(fields[0], "[]") == version {
			return strings.TrimSpace(text) + "\n", nil
		}
	}
	return "", fmt.Errorf("CHANGELOG.md has no section '## %s': rename '## Unreleased' to it, and commit", version)
}

func (r *release) writeNotes(context.Context) error {
	notes, err := r.notes()
	if err != nil {
		return err
	}
	return r.write("RELEASE_NOTES.md", []byte(notes))
}
