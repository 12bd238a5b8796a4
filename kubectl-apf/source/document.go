package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/plain"
)

// document is a document of a file.
type document struct {
	place Place
	data  []byte
	// found reports that the file was found in a directory, and not named.
	found bool
}

// ours matches what names a kind or the group. Only then it matters that a file of a directory cannot be
// read: others have the values of a chart, or workflows.
var ours = regexp.MustCompile(`(?m)^[\s{,-]*["']?(?:kind["']?\s*:\s*["']?(?:FlowSchema|PriorityLevelConfiguration)|apiVersion["']?\s*:\s*["']?flowcontrol\.apiserver\.k8s\.io/)`)

// split returns the documents of a file: YAML documents, or JSON values one after the
// other. Empty documents are omitted. On an error it returns those before it.
func split(file string, data []byte, bounds plain.Bounds) ([]document, error) {
	if isJSON(data) {
		return splitJSON(file, data, bounds)
	}
	return splitYAML(file, data, bounds)
}

// splitYAML splits at lines that begin with three dashes.
func splitYAML(file string, data []byte, bounds plain.Bounds) (documents []document, err error) {
	start, first := 0, 1
	add := func(end int) {
		if skipped, blank := blankLines(data[start:end]); !blank {
			documents = append(documents, document{place: Place{File: file, Line: first + skipped, Item: -1}, data: data[start:end]})
		}
	}
	at, number := 0, 0
	for line := range bytes.Lines(data) {
		number++
		if isSeparator(line) {
			if err := bounds.Count(len(documents)); err != nil {
				return documents, err
			}
			add(at)
			// The line belongs to the next document, which may begin on it.
			start, first = at, number
		}
		at += len(line)
	}
	add(len(data))
	return documents, nil
}

func isSeparator(line []byte) bool {
	rest, found := bytes.CutPrefix(line, []byte("---"))
	return found && (len(rest) == 0 || bytes.ContainsAny(rest[:1], " \t\r\n"))
}

// blankLines returns the number of lines before the first one that has more than a
// separator and a comment, and whether there is none.
func blankLines(text []byte) (n int, all bool) {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("---")))
		if len(line) > 0 && line[0] != '#' {
			return n, false
		}
		n++
	}
	return n, true
}

func splitJSON(file string, data []byte, bounds plain.Bounds) (documents []document, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	for at, line := 0, 1; ; {
		// The offset is the end of the previous value.
		start := int(decoder.InputOffset())
		start += len(data[start:]) - len(bytes.TrimLeft(data[start:], " \t\r\n"))
		line += bytes.Count(data[at:start], []byte("\n"))
		at = start
		place := Place{File: file, Line: line, Item: -1}
		var value json.RawMessage
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return documents, FileError{Place: place, Err: fmt.Errorf("it is no JSON: %w", err)}
		}
		if err := bounds.Count(len(documents) + 1); err != nil {
			return documents, FileError{Place: place, Err: err}
		}
		documents = append(documents, document{place: place, data: value})
	}
}
