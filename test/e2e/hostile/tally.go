package hostile

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// Answers of a server that are not a status.
const (
	closed = "closed"  // the connection, by the server
	open   = "open"    // the connection or the watch, until the end of the attack
	cutOff = "cut off" // a request without an answer
)

// Tally counts the answers to an attack: HTTP statuses, and the words above. It is safe
// for concurrent use.
type Tally struct {
	mu     sync.Mutex // guards counts
	counts map[string]int
}

// add counts answers.
func (t *Tally) add(answer string, count int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	if count != 0 {
		t.counts[answer] += count
	}
}

// addStatus counts the answer to a request.
func (t *Tally) addStatus(status int, err error) {
	if err != nil {
		t.add(cutOff, 1)
		return
	}
	t.add(fmt.Sprint(status), 1)
}

// Counts returns the counts by answer.
func (t *Tally) Counts() map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.counts)
}

// String lists the counts.
func (t *Tally) String() string {
	counts := t.Counts()
	var all []string
	for _, answer := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, fmt.Sprintf("%s: %d", answer, counts[answer]))
	}
	return strings.Join(all, ", ")
}

// await waits until there are that many answers.
func (t *Tally) await(ctx context.Context, count int) error {
	failures := eventually.Within(ctx, func(a *eventually.Attempt) {
		sum := 0
		for _, each := range t.Counts() {
			sum += each
		}
		require.GreaterOrEqual(a, sum, count)
	})
	if failures != "" {
		return fmt.Errorf("waiting for %d answers: %s", count, failures)
	}
	return nil
}
