package size

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
)

const (
	// partCount is the number of parts that are sized alone, shortestPart how long one is at
	// least: servers divide their seats three times in it.
	partCount    = 4
	shortestPart = 3 * allocation.Period
)

// times are when requests arrive.
type times struct {
	start, end time.Time
	perSecond  []int32 // since start
}

// survey reads all requests once.
func survey(o simulate.Options) (*times, error) {
	source, err := o.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = source.Close() }() // it was only read
	t := &times{}
	for {
		var r trace.Request
		if err := source.Read(&r); errors.Is(err, io.EOF) {
			return t, nil
		} else if err != nil {
			return nil, err
		}
		if t.start.IsZero() {
			t.start = r.Arrival
		}
		t.end = r.Arrival
		second := int(r.Arrival.Sub(t.start) / time.Second)
		if missing := second + 1 - len(t.perSecond); missing > 0 {
			t.perSecond = append(t.perSecond, make([]int32, missing)...)
		}
		t.perSecond[second]++
	}
}

// length returns the length of a part.
func (t *times) length() time.Duration { return t.end.Sub(t.start) / partCount }

// window is a part of the time of requests.
type window struct{ from, to time.Time }

// parts returns windows of equal length with requests.
func (t *times) parts() []window {
	if t.length() < shortestPart {
		return nil
	}
	var out []window
	second := func(at time.Time) int { return min(int(at.Sub(t.start)/time.Second), len(t.perSecond)) }
	for i := range partCount {
		from := t.start.Add(time.Duration(i) * t.length())
		w := window{from: from, to: from.Add(t.length())}
		if slices.ContainsFunc(t.perSecond[second(w.from)+1:second(w.to)], func(n int32) bool { return n > 0 }) {
			out = append(out, w)
		}
	}
	return out
}

// note says what the range is.
func (t *times) note(parts int) string {
	if parts == 0 {
		return fmt.Sprintf("There is no range: the requests are of %s, and must be of %s for one.", t.end.Sub(t.start).Round(time.Second), partCount*shortestPart)
	}
	return fmt.Sprintf("The range is what %d parts of %s need alone. It does not include a busier time than the requests have.", parts, t.length().Round(time.Second))
}

// open returns what opens the requests within the window.
func (w window) open(all func() (simulate.Source, error)) func() (simulate.Source, error) {
	return func() (simulate.Source, error) {
		source, err := all()
		if err != nil {
			return nil, err
		}
		return &windowed{source, w}, nil
	}
}

// windowed is the requests of a window.
type windowed struct {
	simulate.Source
	window window
}

// Read implements simulate.Source.
func (w *windowed) Read(into *trace.Request) error {
	for {
		if err := w.Source.Read(into); err != nil {
			return err
		}
		if !into.Arrival.Before(w.window.to) {
			return io.EOF
		}
		if !into.Arrival.Before(w.window.from) {
			return nil
		}
	}
}
