package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// event is one line of `go test -json`; see `go doc test2json`.
type event struct {
	Action  string
	Package string
	Test    string
	Elapsed float64 // seconds
	Output  string
}

// testKey identifies a top-level test, or a package if the test is empty.
type testKey struct{ phase, pkg, test string }

// outcome is the result of one test over all its attempts.
type outcome struct {
	passed, failed int     // attempts
	seconds        float64 // of the slowest attempt
	seed           string  // of the last attempt that logged one
}

var (
	startLine = regexp.MustCompile(`: started ([\w-]+)\n$`)
	seedLine  = regexp.MustCompile(`: seed \d+; .* (SEED=\d+) go test `)
)

// readFile reads the events of one phase.
func (r *report) readFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	return r.read(strings.TrimSuffix(filepath.Base(path), ".json"), file)
}

func (r *report) read(phase string, events io.Reader) error {
	decoder := json.NewDecoder(events)
	for {
		var e event
		switch err := decoder.Decode(&e); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		r.add(phase, e)
	}
}

func (r *report) add(phase string, e event) {
	top, _, isSubtest := strings.Cut(e.Test, "/")
	key := testKey{phase, e.Package, top}
	o := r.outcomes[key]
	if o == nil {
		o = &outcome{}
		r.outcomes[key] = o
	}
	switch {
	case e.Action == "output":
		if match := startLine.FindStringSubmatch(e.Output); match != nil {
			r.starts[match[1]]++
		}
		if match := seedLine.FindStringSubmatch(e.Output); match != nil {
			o.seed = match[1]
		}
	case isSubtest:
	case e.Action == "pass":
		o.passed++
		o.seconds = max(o.seconds, e.Elapsed)
	case e.Action == "fail":
		o.failed++
		o.seconds = max(o.seconds, e.Elapsed)
	}
}
