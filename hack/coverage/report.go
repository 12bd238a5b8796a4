package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// enough is the percentage below which the report names a file.
const enough = 60

// part is the profile of one kind of tests.
type part struct {
	name    string
	profile *profile
}

func writeReport(ctx context.Context, w workspace) error {
	var parts []part
	for _, p := range []struct{ dir, name string }{{"unit", "unit tests"}, {"e2e", "end-to-end tests"}} {
		profile, err := w.profile(ctx, p.dir)
		if err != nil {
			return err
		}
		if profile != nil {
			parts = append(parts, part{p.name, profile})
		}
	}
	if len(parts) == 0 {
		return errors.New("there are no counters: run `make coverage`")
	}
	return os.WriteFile(filepath.Join(string(w), "docs", "coverage.md"), []byte(report(parts)), 0o644)
}

// profile reads the counters of a part; it returns nil if there are none.
func (w workspace) profile(ctx context.Context, dir string) (*profile, error) {
	if entries, err := os.ReadDir(w.counters(dir)); errors.Is(err, os.ErrNotExist) || len(entries) == 0 {
		return nil, nil
	}
	text := w.counters(dir) + ".txt"
	if err := w.run(ctx, nil, "tool", "covdata", "textfmt", "-i="+w.counters(dir), "-o="+text); err != nil {
		return nil, err
	}
	content, err := os.ReadFile(text)
	if err != nil {
		return nil, err
	}
	p := newProfile()
	return p, p.read(bytes.NewReader(content))
}

func report(parts []part) string {
	together := newProfile()
	var names []string
	for _, p := range parts {
		together.add(p.profile)
		names = append(names, p.name)
	}
	for _, p := range parts { // a part does not run the statements that it does not know
		p.profile.know(together)
	}
	columns := append(slices.Clone(parts), part{"together", together})
	var text strings.Builder
	total := together.by(all)[""]
	fmt.Fprintf(&text, `# Coverage

Of the product's %d statements, in cmd/ and pkg/ and not generated, tests run
**%s**. `+"`make coverage`"+` measures it and writes this file, from: %s.
A server that a test kills says nothing of what it ran.

`, total.statements, total, strings.Join(names, ", "))
	writeTable(&text, columns)
	writeLittle(&text, together)
	return text.String()
}

func writeTable(text *strings.Builder, columns []part) {
	text.WriteString("| package | statements |")
	for _, c := range columns {
		text.WriteString(" " + c.name + " |")
	}
	text.WriteString("\n|---|--:|" + strings.Repeat("--:|", len(columns)) + "\n")
	row := func(name, key string, group func(block) string) {
		fmt.Fprintf(text, "| %s | %d |", name, columns[len(columns)-1].profile.by(group)[key].statements)
		for _, c := range columns {
			fmt.Fprintf(text, " %s |", c.profile.by(group)[key])
		}
		text.WriteString("\n")
	}
	row("all", "", all)
	for _, folder := range slices.Sorted(maps.Keys(columns[len(columns)-1].profile.by(byFolder))) {
		row("`"+folder+"`", folder, byFolder)
	}
}

// writeLittle names the files with a low coverage.
func writeLittle(text *strings.Builder, together *profile) {
	fmt.Fprintf(text, "\n## Files under %d %%\n\n", enough)
	files := together.by(byFile)
	var little []string
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if files[file].percent() < enough {
			little = append(little, fmt.Sprintf("| `%s` | %d | %s |\n", file, files[file].statements, files[file]))
		}
	}
	if len(little) == 0 {
		text.WriteString("None.\n")
		return
	}
	text.WriteString("| file | statements | run |\n|---|--:|--:|\n" + strings.Join(little, ""))
}
