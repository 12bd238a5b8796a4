package judges

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// Bounds of what an attack leaves behind.
const (
	// restBound is how long a server may work on after an attack, and workBound the processor time
	// that it may use: the other programs of the machine do not count.
	restBound, workBound = 10 * time.Second, 2 * time.Second
	// linesBound is the number of lines that an attack may cause: the same line once a minute, and
	// lines from one place in the code 100 times.
	linesBound = 2000
)

// Judge returns what an attack must not do: fail the mouse, get an answer that is not
// allowed, store anything, take more memory than the bound, or leave work, memory and a
// full log behind.
func Judge(c Case, f *Figures) error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	failed := f.During.Where(func(s measurement.Sample) bool { return s.Status != http.StatusOK && !s.Rejected() })
	if len(failed) > 0 {
		fault("%d reads of the mouse failed, such as: answered %d, %v", len(failed), failed[0].Status, failed[0].Err)
	}
	if f.During.Served() == 0 {
		fault("the mouse read nothing")
	}
	counts := f.Answers.Counts()
	if len(counts) == 0 {
		fault("nothing was answered, so nothing was tried")
	}
	for _, answer := range slices.Sorted(maps.Keys(counts)) {
		if !slices.Contains(c.Allowed, answer) {
			fault("%d answers are %q; they must be one of %q", counts[answer], answer, c.Allowed)
		}
	}
	if len(f.Changed) > 0 {
		fault("objects were created, changed or deleted: %q", f.Changed)
	}
	if f.Peak > c.Memory {
		fault("%d MiB were resident; the bound is %d", f.Peak>>20, c.Memory>>20)
	}
	if f.Unrest != nil {
		faults = append(faults, f.Unrest)
	}
	if f.Resting > restBound {
		fault("it was at rest only %v after the attack; the bound is %v", f.Resting, restBound)
	}
	if f.Worked > workBound {
		fault("it used %v of processor time after the attack; the bound is %v", f.Worked, workBound)
	}
	if more := int64(f.Kept - f.Before.Heap); more > c.Kept {
		fault("%d MiB more are held than before, %v after the attack; the bound is %d", more>>20, f.KeptFor, c.Kept>>20)
	}
	if lines := f.After.Lines - f.Before.Lines; lines > linesBound {
		fault("%d lines were logged; the bound is %d", lines, linesBound)
	}
	return errors.Join(faults...)
}
