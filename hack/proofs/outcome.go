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

// modulePath is what packages of the repository begin with.
const modulePath = "github.com/flowcontrol-apiserver/flowcontrol-apiserver/"

// test is a test function, or a case of one after a slash, in a folder of the
// repository.
type test struct{ folder, name string }

func (t test) String() string { return t.folder + " " + t.name }

// run is the test as events name it: without spaces.
func (t test) run() test { return test{t.folder, strings.ReplaceAll(t.name, " ", "_")} }

// outcomes are how tests ended, one ending for each file that tells of them. In
// one file a later ending replaces an earlier one, as of a test that is run again.
type outcomes struct{ of map[test][]string }

func newOutcomes() *outcomes { return &outcomes{of: map[test][]string{}} }

// event is the part of an event of `go test -json` that counts here.
type event struct{ Action, Package, Test string }

// read takes the events of one file. Lines that are no events are passed over:
// what a compiler says stands between them.
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

// fault says why the test proves nothing, "" if it has run and passed.
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

// similar are tests that ran, by the last part of the name: what has moved keeps it.
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
