package mixin

import (
	"fmt"
	"os"
	"path/filepath"
)

// Folder is where the files are, below the top of the repository.
const Folder = "artifacts/monitoring"

// made begins the files that allow a comment.
const made = "# Made by `make update-docs` from hack/monitoring; docs/operations.md explains the alerts.\n"

// Files returns the files of the mixin, by name.
func (p Parameters) Files() (map[string][]byte, error) {
	rules, err := p.Rules()
	if err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	object, err := p.PrometheusRule()
	if err != nil {
		return nil, fmt.Errorf("PrometheusRule: %w", err)
	}
	board, err := Dashboard()
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	return map[string][]byte{
		"rules.yaml":          append([]byte(made), rules...),
		"prometheusrule.yaml": append([]byte(made), object...),
		"dashboard.json":      board,
	}, nil
}

// Write writes the files of the mixin into a folder.
func (p Parameters) Write(folder string) error {
	files, err := p.Files()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
