package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// summarize keeps the row of the server in the table of all. Once all servers have one, it
// writes the table.
func (r result) summarize(output string) error {
	m, err := r.server.module()
	if err != nil {
		return err
	}
	row, err := r.summary()
	if err != nil {
		return err
	}
	content, err := json.Marshal(row)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(m.bin, "summary.json"), content, 0o600); err != nil {
		return err
	}
	rows, err := summaries()
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return measurement.Publish("make adoption", "summary", output, rows)
}

func (r result) summary() (measurement.Row, error) {
	row := measurement.Row{"[" + r.server.name + "](#" + anchor(r.server) + ")", r.lines[fair].String()}
	ready, err := r.show(fair, ready)
	if err != nil {
		return nil, err
	}
	row = append(row, ready, r.readiness(library))
	for _, name := range []string{without, library, fair} {
		contest, err := r.contest(name)
		if err != nil {
			return nil, err
		}
		row = append(row, contest[2])
	}
	return row, nil
}

// anchor is the name of the heading of a server's section.
func anchor(s server) string {
	_, version, _ := strings.Cut(s.source, "@")
	return s.name + "-" + strings.ReplaceAll(version, ".", "")
}

// summaries returns the table of all servers.
func summaries() (string, error) {
	var text strings.Builder
	text.WriteString("## The six\n\nThe last three columns are the p99 of mice beside an elephant, divided by the p99 of mice alone.\n\n")
	header := measurement.Row{"server", "lines", "ready after", "the library's engine ready without permissions", "no flow control", "k8s.io/apiserver", "pkg/apf"}
	text.WriteString(header.String() + header.Rule())
	for _, s := range servers() {
		m, err := s.module()
		if err != nil {
			return "", err
		}
		content, err := os.ReadFile(filepath.Join(m.bin, "summary.json"))
		if err != nil {
			return "", err
		}
		var row measurement.Row
		if err := json.Unmarshal(content, &row); err != nil {
			return "", err
		}
		text.WriteString(row.String())
	}
	return text.String(), nil
}
