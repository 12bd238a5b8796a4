package size

import (
	"errors"
	"fmt"
	"io"
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
	busy       [partCount]bool // the parts that have requests
}

// survey reads all requests, once for their times, and once for the parts.
func survey(o simulate.Options) (*times, error) {
	t := &times{}
	err := each(o, func(r *trace.Request) {
		if t.start.IsZero() {
			t.start = r.Arrival
		}
		t.end = r.Arrival
	})
	if err != nil || t.length() < shortestPart {
		return t, err
	}
	return t, each(o, func(r *trace.Request) {
		if part := int(r.Arrival.Sub(t.start) / t.length()); part < partCount {
			t.busy[part] = true
		}
	})
}

// each reads all requests.
func each(o simulate.Options, yield func(*trace.Request)) error {
	source, err := o.Open()
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }() // it was only read
	for {
		var r trace.Request
		if err := source.Read(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		yield(&r)
	}
}

// length returns the length of a part.
func (t *times) length() time.Duration { return t.end.Sub(t.start) / partCount }

// window is a part of the time of requests.
type window struct{ from, to time.Time }

// parts returns windows of equal length with requests.
func (t *times) parts() (out []window) {
	for i, busy := range t.busy {
		if from := t.start.Add(time.Duration(i) * t.length()); busy {
			out = append(out, window{from: from, to: from.Add(t.length())})
		}
	}
	return out
}

// note says what the range is.
func (t *times) note(parts int) string {
	if parts == 0 {
		return fmt.Sprintf("There is no range: the requests span %s, and a range requires %s.", t.end.Sub(t.start).Round(time.Second), partCount*shortestPart)
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
