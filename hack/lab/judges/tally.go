package judges

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
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
func (c *Tally) add(answer string, count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	if count != 0 {
		c.counts[answer] += count
	}
}

// addSample counts the answer to a request.
func (c *Tally) addSample(sample measurement.Sample) {
	if sample.Status == 0 {
		c.add(cutOff, 1)
		return
	}
	c.add(fmt.Sprint(sample.Status), 1)
}

// Counts returns the counts by answer.
func (c *Tally) Counts() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.counts)
}

// String lists the counts.
func (c *Tally) String() string {
	counts := c.Counts()
	var all []string
	for _, answer := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, fmt.Sprintf("%s: %d", answer, counts[answer]))
	}
	return strings.Join(all, ", ")
}
