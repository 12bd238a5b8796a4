package simulate

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Capacity is how execution depends on load, see the package comment. The zero Capacity
// means that it does not.
type Capacity struct {
	// Processors is the number of requests that execute without delaying each other; 0 for
	// any number.
	Processors float64
}

// ParseCapacity parses "none" or "processors=N".
func ParseCapacity(text string) (Capacity, error) {
	model, value, _ := strings.Cut(text, "=")
	switch {
	case text == "" || text == "none":
		return Capacity{}, nil
	case model != "processors":
		return Capacity{}, fmt.Errorf("the capacity model %q is unknown: must be none or processors=NUMBER", text)
	}
	n, err := strconv.ParseFloat(value, 64)
	if err == nil && (n <= 0 || n > 1e6) {
		err = errors.New("must be more than 0 and at most 1000000")
	}
	if err != nil {
		return Capacity{}, fmt.Errorf("the number of processors %q is invalid: %w", value, err)
	}
	return Capacity{Processors: n}, nil
}

// String returns what ParseCapacity parses.
func (c Capacity) String() string {
	if c.Processors == 0 {
		return "none"
	}
	return "processors=" + strconv.FormatFloat(c.Processors, 'g', -1, 64)
}

// slowdown is how much longer a request takes when so many requests execute, itself
// included.
func (c Capacity) slowdown(executing int) float64 {
	if c.Processors == 0 {
		return 1
	}
	return max(1, float64(executing)/c.Processors)
}

// load is the number of requests that execute in the trace.
type load struct{ ends []time.Duration }

// arrive returns how many requests execute in the trace when one arrives that ends later,
// itself included. Arrivals are in order.
func (l *load) arrive(at, end time.Duration) int {
	for len(l.ends) > 0 && l.ends[0] <= at {
		l.pop()
	}
	l.push(max(end, at))
	return len(l.ends)
}

func (l *load) push(end time.Duration) {
	l.ends = append(l.ends, end)
	for i := len(l.ends) - 1; i > 0 && l.ends[i] < l.ends[(i-1)/2]; i = (i - 1) / 2 {
		l.ends[i], l.ends[(i-1)/2] = l.ends[(i-1)/2], l.ends[i]
	}
}

func (l *load) pop() {
	last := len(l.ends) - 1
	l.ends[0] = l.ends[last]
	l.ends = l.ends[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return
		}
		if child+1 < last && l.ends[child+1] < l.ends[child] {
			child++
		}
		if l.ends[i] <= l.ends[child] {
			return
		}
		l.ends[i], l.ends[child] = l.ends[child], l.ends[i]
		i = child
	}
}
