package chaos

import (
	"errors"
	"fmt"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/histories"
)

// Run is what was recorded of a run.
type Run struct {
	Seed uint64
	// Length is how long faults were made and clients worked.
	Length time.Duration
	Faults []Fault
	// Acknowledged counts operations that a server acknowledged, reads included.
	Acknowledged int
	Acks         []Ack
	Requests     []Request
	Rolls        []Window
	Operations   []porcupine.Operation
	// Lists are the readers' lists of levels, Reads their reads of levels from the cache.
	Lists     []histories.List
	Reads     []histories.Read
	Watchers  []*Watcher
	Engines   []Engine
	Journal   Journal
	Histories map[string]*histories.History
	// Undecided are objects whose operations took too long to judge.
	Undecided []string
	// Rolled counts the requests that were judged in rolling restarts.
	Rolled int
}

// Check judges the record and returns what must not be. patience bounds the time to judge the
// operations of one object; pages about wrong operations go to a folder.
func (r *Run) Check(patience time.Duration, folder string) error {
	var errs []error
	for _, check := range []func() []error{
		func() []error { return CheckAcknowledged(r.Acks, r.Journal) },
		func() []error { return CheckVersions(r.Acks, r.Journal) },
		func() []error { return CheckBuiltIn(r.Journal) },
		func() []error { return CheckStatus(r.Journal) },
		func() []error { return CheckWatchers(r.Watchers, r.Histories) },
		r.checkReads,
		func() []error { return CheckEngines(r.Engines, r.levels()) },
		r.checkRolling,
		func() []error { return r.checkOperations(patience, folder) },
	} {
		errs = append(errs, shorten(check())...)
	}
	return errors.Join(errs...)
}

// shown is how many errors of a check are reported; more of the same do not help.
const shown = 5

func shorten(errs []error) []error {
	if len(errs) <= shown {
		return errs
	}
	return append(errs[:shown:shown], fmt.Errorf("and %d more of this check", len(errs)-shown))
}

func (r *Run) checkRolling() (errs []error) {
	r.Rolled, errs = CheckRolling(r.Requests, r.Rolls)
	return errs
}

func (r *Run) checkOperations(patience time.Duration, folder string) (errs []error) {
	undecided, err := CheckOperations(r.Operations, patience, folder)
	r.Undecided = undecided
	if err != nil {
		errs = append(errs, err)
	}
	return errs
}

func (r *Run) checkReads() (errs []error) {
	for _, list := range r.Lists {
		if err := r.Histories[Levels].CheckList(list); err != nil {
			errs = append(errs, err)
		}
	}
	for _, read := range r.Reads {
		if err := r.Histories[Levels].CheckRead(read); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// levels returns the names of the levels that are stored at the end.
func (r *Run) levels() (names []string) {
	history := r.Histories[Levels]
	for name := range history.At(history.Last()) {
		names = append(names, name)
	}
	return names
}
