package judges

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// Figures are what a case did to a server.
type Figures struct {
	// During is what the mouse got during the attack.
	During measurement.Samples
	// Answers are those to the hostile clients, by answer.
	Answers *Tally
	// Peak is the largest resident memory during the attack, in bytes.
	Peak int64
	// Before is what was in use before the attack, After what was at rest.
	Before, After Rest
	// Resting is how long the server was not at rest after the attack, and Worked the processor
	// time that it used meanwhile.
	Resting, Worked time.Duration
	// Kept is the heap that was held in the end, in bytes, and KeptFor how long more was.
	Kept    float64
	KeptFor time.Duration
	// Unrest says why the server was not at rest at the end of the watch.
	Unrest error
	// Changed are the objects that are not as before.
	Changed []string
}

// Face runs an attack while the mouse reads. An error means that the attack could not be made.
func (s *Server) Face(ctx context.Context, c Case, size Size) (*Figures, error) {
	figures := &Figures{Answers: &Tally{}}
	before, err := s.stored(ctx)
	if err != nil {
		return nil, err
	}
	if figures.Before, err = s.rest(ctx); err != nil {
		return nil, err
	}
	if err := measurement.ResetPeak(s.Process.PID()); err != nil {
		return nil, err
	}
	if figures.During, err = s.attack(ctx, c, size, figures.Answers); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	peak, err := measurement.ProcessMemory(s.Process.PID(), "VmHWM")
	if err != nil {
		return nil, err
	}
	figures.Peak = int64(peak)
	if figures.Resting, figures.Worked, figures.After, err = s.awaitRest(ctx, figures.Before); err != nil && !errors.Is(err, errNoRest) {
		return nil, err
	}
	figures.Unrest = err
	if figures.Kept, figures.KeptFor, err = s.awaitFree(ctx, figures, c.Kept); err != nil {
		return nil, err
	}
	after, err := s.stored(ctx)
	figures.Changed = differences(before, after)
	return figures, err
}

// attack makes the attack and returns what the mouse got meanwhile.
func (s *Server) attack(ctx context.Context, c Case, size Size, answers *Tally) (got measurement.Samples, err error) {
	done := make(chan struct{})
	var group errgroup.Group
	group.Go(func() (err error) {
		got, err = s.read(ctx, done)
		return err
	})
	err = c.Attack(ctx, s, size, answers)
	close(done)
	err = errors.Join(err, group.Wait())
	return got, err
}

// differences returns the names whose generations are not the same.
func differences(before, after map[string]int64) (changed []string) {
	for name, generation := range after {
		if was, existed := before[name]; !existed || was != generation {
			changed = append(changed, name)
		}
	}
	for name := range before {
		if _, exists := after[name]; !exists {
			changed = append(changed, name)
		}
	}
	return changed
}

// String says what the clients got and what the server used.
func (f *Figures) String() string {
	return fmt.Sprintf("answers %v; the mouse read %d times, p99 %v; peak %d MiB, at rest after %v and %v of processor time, heap before and after %d and %d MiB, %d lines logged, %.0f counted as 5xx",
		f.Answers, len(f.During), f.During.Quantile(0.99), f.Peak>>20, f.Resting.Round(time.Millisecond), f.Worked, int64(f.Before.Heap)>>20, int64(f.Kept)>>20,
		f.After.Lines-f.Before.Lines, f.After.Failures-f.Before.Failures)
}
