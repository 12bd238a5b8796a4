package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
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
	row := measurement.Row{
		"[" + r.server.name + "](#" + anchor(r.server) + ")", r.lines[fair].String(), r.lines[library].String(), strconv.Itoa(len(r.added)),
	}
	for _, name := range []string{fair, alone, library} {
		value, err := r.show(name, ready)
		if err != nil {
			return nil, err
		}
		row = append(row, value)
	}
	row = append(row, r.readiness(library))
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

const summaryHead = `Lines of main.go, modules that are only in the graph, and the time until the server is ready: with pkg/apf, as it is,
and with the library's engine. The last three columns divide the p99 of mice under an elephant's load by their p99 alone.
`

// summaries returns the table of all servers.
func summaries() (string, error) {
	var text strings.Builder
	text.WriteString("## The six\n\n" + summaryHead + "\n")
	header := measurement.Row{
		"server", "lines", "lines, library", "modules added", "ready after", "as it is", "library", "library without permissions",
		"no flow control", "k8s.io/apiserver", "pkg/apf",
	}
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
