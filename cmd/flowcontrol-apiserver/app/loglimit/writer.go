// Package loglimit keeps a log readable while etcd or kube-apiserver is unavailable: libraries
// repeat errors and warnings on each attempt.
package loglimit

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

const (
	// Interval is the time without a repetition of a line.
	Interval = time.Minute
	// maxLines bounds the lines that are remembered. Further ones are limited by place alone.
	maxLines = 1000
	// maxOfPlace bounds the lines from one place in the code that are written in an Interval:
	// clients cause lines that differ, each with another path or duration.
	maxOfPlace = 100
)

// Writer writes lines of the formats text and json. It writes errors and warnings that
// differ only in their time, and in numbers that follow "#", once in an Interval. Before
// such a line is written again, another one counts how often it was left out. Of lines that
// differ, maxOfPlace from one place in the code are written in an Interval. Lines of other severities
// are not limited: in JSON warnings have the verbosity 0, as information may have, which is limited too.
// It never writes what the embedded etcd warns of when this server stops.
type Writer struct {
	out   io.Writer
	clock clock.PassiveClock
	// numbers matches numbers of connections and the like.
	numbers *regexp.Regexp

	mutex  sync.Mutex // guards seen and places, and keeps two lines together
	seen   map[string]*line
	places map[string]*place
}

// clientHasGone is a warning of the embedded etcd about requests of this server, which ends them when
// it stops.
const clientHasGone = `grpc: Server.processRPC failed to write status: connection error: desc = "transport is closing"`

// line is what is remembered of a line.
type line struct {
	written time.Time
	leftOut int // since written
}

// place is what is remembered of a place in the code.
type place struct {
	begin            time.Time // of the interval
	written, leftOut int       // since begin
}

var _ io.Writer = (*Writer)(nil)

// New returns a Writer. Each Write must be one line, as loggers write.
func New(out io.Writer, passive clock.PassiveClock) *Writer {
	return &Writer{out: out, clock: passive, numbers: regexp.MustCompile(`#\d+`), seen: map[string]*line{}, places: map[string]*place{}}
}

// Write implements io.Writer. It returns no error for lines that are left out.
func (w *Writer) Write(text []byte) (int, error) {
	if bytes.Contains(text, []byte(clientHasGone)) {
		return len(text), nil
	}
	at, code, message, limited := parse(text)
	if !limited {
		return w.out.Write(text)
	}
	key := string(code) + string(w.numbers.ReplaceAll(message, []byte("#")))
	w.mutex.Lock()
	defer w.mutex.Unlock()
	now := w.clock.Now()
	last := w.seen[key]
	if last != nil && now.Sub(last.written) < Interval {
		last.leftOut++
		return len(text), nil
	}
	if full, err := w.isFull(at, string(code), now); full || err != nil {
		return len(text), err
	}
	if last == nil {
		w.remember(key, now)
	} else {
		if err := w.count(at, "The next line was left out", last.leftOut, now.Sub(last.written)); err != nil {
			return 0, err
		}
		*last = line{written: now}
	}
	return w.out.Write(text)
}

// isFull reports whether a place in the code has written its lines of this interval. It
// counts one more.
func (w *Writer) isFull(at []byte, code string, now time.Time) (bool, error) {
	p := w.places[code]
	if p == nil {
		p = &place{begin: now}
		w.places[code] = p
	}
	if since := now.Sub(p.begin); since >= Interval {
		leftOut := p.leftOut
		*p = place{begin: now}
		if err := w.count(at, "Different lines like the next one were left out", leftOut, since); err != nil {
			return false, err
		}
	}
	if p.written >= maxOfPlace {
		p.leftOut++
		return true, nil
	}
	p.written++
	return false, nil
}

// remember keeps a line, if there is room for it after those are forgotten that may be
// written again.
func (w *Writer) remember(key string, now time.Time) {
	if len(w.seen) >= maxLines {
		for other, last := range w.seen {
			if now.Sub(last.written) >= Interval {
				delete(w.seen, other)
			}
		}
	}
	if len(w.seen) < maxLines {
		w.seen[key] = &line{written: now}
	}
}

// count writes how many lines were left out, in the format of the next one.
func (w *Writer) count(at []byte, message string, leftOut int, since time.Duration) error {
	if leftOut == 0 {
		return nil
	}
	var err error
	if at[0] == '{' {
		_, err = fmt.Fprintf(w.out, "%s\"msg\":%q,\"v\":0,\"count\":%d,\"within\":%q}\n", at, message, leftOut, since)
	} else {
		_, err = fmt.Fprintf(w.out, "%s %q count=%d within=%q\n", at, message, leftOut, since)
	}
	return err
}

// parse returns the beginning of a line, with its time, the place in the code, and the rest.
// It returns false for a line that is not limited.
func parse(text []byte) (at, code, message []byte, limited bool) {
	head, rest, found := text, []byte(nil), false
	switch {
	case bytes.HasPrefix(text, []byte("E")), bytes.HasPrefix(text, []byte("W")):
		// E0102 15:04:05.000000  PROCESS file.go:1] message
		if head, rest, found = bytes.Cut(text, []byte("] ")); found {
			fields := bytes.Fields(head)
			code = fields[len(fields)-1]
			head = append(bytes.Clone(head), ']')
		}
	case bytes.HasPrefix(text, []byte(`{"ts":`)):
		// {"ts":1.5,"caller":"file.go:1","msg":"message","v":0}
		if head, rest, found = bytes.Cut(text, []byte(",")); found {
			head = append(bytes.Clone(head), ',')
			code, _, _ = bytes.Cut(rest, []byte(","))
			_, verbosity, stated := bytes.Cut(rest, []byte(`,"v":`)) // quotes in texts are escaped
			found = !stated || bytes.HasPrefix(verbosity, []byte("0"))
		}
	}
	if !found {
		return nil, nil, nil, false
	}
	return head, code, rest, true
}
