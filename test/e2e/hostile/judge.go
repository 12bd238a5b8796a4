package hostile

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// idleGoroutines is how many more goroutines a server may have at rest than before: those
// of the connections that clients of the test still hold.
const idleGoroutines = 100

// Judge returns what an attack must not do: fail the mouse, get an answer that is not
// allowed, store anything, or take more memory than the bound.
func Judge(c Case, f *Figures) error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	for _, reading := range []Reading{f.Quiet, f.During} {
		if len(reading.Failures) > 0 {
			fault("%d reads of the mouse failed, such as: %s", len(reading.Failures), reading.Failures[0])
		}
	}
	if len(f.During.Latencies) == 0 {
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
	return errors.Join(faults...)
}

// AwaitRest waits until a server has no more in use than before.
func (s *Server) AwaitRest(ctx context.Context, before Rest) error {
	failures := eventually.Within(ctx, func(a *eventually.Attempt) {
		now, err := s.rest(a.Context())
		require.NoError(a, err)
		require.LessOrEqual(a, now.Goroutines, before.Goroutines+idleGoroutines)
		require.Zero(a, now.Seats)
	})
	if failures != "" {
		return fmt.Errorf("waiting until goroutines and seats are as before: %s", failures)
	}
	return nil
}
