package fuzzparity

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

const (
	workers = 8
	// reported is the number of differences that are reduced and printed.
	reported = 5
)

func randomCount() int { return lane.Pick(3_000, 50_000) }
func storyCount() int  { return lane.Pick(60, 1_000) }

// variantStep is the step between sampled variants. 7 is coprime to the numbers of verbs, modes and
// forms.
func variantStep() int { return lane.Pick(7, 1) }

func TestKubeAPIServerAndThisServerJudgeAlike(t *testing.T) {
	seed := lane.Seed(t)
	servers := startPair(t)

	var fields, random *tally
	t.Run("every field of a full object", func(t *testing.T) {
		all := everyVariant()
		step := variantStep()
		fields = servers.compare(t, len(all)/step, func(i int) []attempt { return all[i*step : i*step+1] })
	})
	t.Run("random objects", func(t *testing.T) {
		random = servers.compare(t, randomCount(), func(i int) []attempt { return []attempt{newAttempt(seed, i)} })
		random.requireBreadth(t, randomCount())
	})
	t.Run("every rule was broken", func(t *testing.T) {
		requireEveryFault(t, fields, random)
	})
	t.Run("random objects, stored", func(t *testing.T) {
		servers.compare(t, storyCount(), func(i int) []attempt { return newStory(seed, i) })
	})
}

// compare sends count series of attempts to both servers and reports reduced
// differences.
func (p pair) compare(t *testing.T, count int, series func(int) []attempt) *tally {
	t.Helper()
	seen := &tally{}
	var next atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < count && t.Context().Err() == nil; i = int(next.Add(1)) - 1 {
				for _, a := range series(i) {
					v, err := p.try(t.Context(), a)
					if err != nil {
						t.Errorf("number %d: %v\n%s", i, err, a)
						break
					}
					if !seen.add(i, a, v) {
						break // later attempts would differ too
					}
				}
			}
		})
	}
	group.Wait()
	t.Logf("%d series, %d attempts, %d accepted by kube-apiserver", count, seen.attempts, seen.accepted)
	seen.report(t, p)
	return seen
}

// report prints the first differences. It reduces those whose attempt can be
// repeated.
func (seen *tally) report(t *testing.T, p pair) {
	t.Helper()
	shown := map[string]bool{}
	for _, difference := range seen.differences {
		if len(shown) == reported {
			break
		}
		if !difference.attempt.isReal() {
			difference.attempt, difference.verdicts = p.reduce(t.Context(), difference.attempt)
		}
		if what := difference.attempt.String(); !shown[what] {
			shown[what] = true
			t.Errorf("number %d:\n%s", difference.number, difference)
		}
	}
	if len(seen.differences) > 0 {
		t.Errorf("the servers differ on %d attempts", len(seen.differences))
	}
}

// reduce returns a smaller attempt that still shows a difference.
func (p pair) reduce(ctx context.Context, a attempt) (attempt, verdicts) {
	differs := func(a attempt) bool {
		v, err := p.try(ctx, a)
		return err == nil && !v.agree()
	}
	for _, simpler := range []func(*attempt){
		func(a *attempt) { a.damage = nil },
		func(a *attempt) { a.form = forms()[0] },
		func(a *attempt) { *a = a.in(versionNew) },
		func(a *attempt) { a.query = "dryRun=All" },
	} {
		candidate := a
		if simpler(&candidate); differs(candidate) {
			a = candidate
		}
	}
	a.tree = objects.Reduce(a.tree, func(tree []byte) bool {
		candidate := a
		candidate.tree = tree
		return differs(candidate)
	})
	v, err := p.try(ctx, a)
	if err != nil {
		v.ourSays.body = []byte(err.Error())
	}
	return a, v
}

// difference is an attempt with different answers of the servers.
type difference struct {
	number   int
	attempt  attempt
	verdicts verdicts
}

func (d difference) String() string {
	return fmt.Sprintf("the servers differ on\n%s\nkube-apiserver: %d %s\nthis server: %d %s\n(-kube-apiserver +this server)\n%s",
		d.attempt, d.verdicts.theirSays.code, brief(d.verdicts.theirSays.body), d.verdicts.ourSays.code, brief(d.verdicts.ourSays.body),
		cmp.Diff(d.verdicts.theirs, d.verdicts.ours))
}

func brief(body []byte) string {
	const most = 1500
	return strings.TrimSpace(string(body[:min(len(body), most)]))
}
