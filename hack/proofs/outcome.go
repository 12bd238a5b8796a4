package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// modulePath is the prefix of the repository's packages.
const modulePath = "github.com/flowcontrol-apiserver/flowcontrol-apiserver/"

// test is a test function, or a subtest after a slash, in a folder of the
// repository.
type test struct{ folder, name string }

func (t test) String() string { return t.folder + " " + t.name }

// run returns the test's name in events, which contain no spaces.
func (t test) run() test { return test{t.folder, strings.ReplaceAll(t.name, " ", "_")} }

// outcomes holds the results of each test, one for each file that has any. In one
// file a later result replaces an earlier one, such as of a repeated test.
type outcomes struct{ of map[test][]string }

func newOutcomes() *outcomes { return &outcomes{of: map[test][]string{}} }

// event holds the used fields of an event of `go test -json`.
type event struct{ Action, Package, Test string }

// read reads the events of one file. It skips other lines, such as the output
// of the compiler.
func (o *outcomes) read(r io.Reader) error {
	last := map[test]string{}
	reader := bufio.NewReader(r)
	for {
		line, err := reader.ReadBytes('\n')
		var e event
		if json.Unmarshal(line, &e) == nil && e.Test != "" {
			switch e.Action {
			case "pass", "fail", "skip":
				last[test{strings.TrimPrefix(e.Package, modulePath), e.Test}] = e.Action
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	for test, ending := range last {
		o.of[test] = append(o.of[test], ending)
	}
	return nil
}

// fault returns why the test proves nothing, or "" if it ran and passed.
func (o *outcomes) fault(t test) string {
	endings := o.of[t.run()]
	switch {
	case slices.Contains(endings, "fail"):
		return "failed"
	case slices.Contains(endings, "pass"):
		return ""
	case len(endings) > 0:
		return "was skipped"
	}
	if similar := o.similar(t); len(similar) > 0 {
		return fmt.Sprintf("did not run; is it now %s?", strings.Join(similar, " or "))
	}
	return "did not run"
}

// similar returns tests that ran and have the same last part of the name, such
// as a test that has moved.
func (o *outcomes) similar(t test) []string {
	var found []string
	for other := range o.of {
		if path.Base(other.name) == path.Base(t.run().name) {
			found = append(found, "`"+strings.ReplaceAll(other.String(), "_", " ")+"`")
		}
	}
	slices.Sort(found)
	return found[:min(len(found), 3)]
}
