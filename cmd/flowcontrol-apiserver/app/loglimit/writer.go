// Package loglimit keeps a log readable while etcd or kube-apiserver is away: libraries
// repeat errors and warnings with each attempt.
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
	// Interval is the time for which a line is not repeated.
	Interval = time.Minute
	// maxLines bounds the lines that are remembered. Further ones are not limited.
	maxLines = 1000
)

// Writer writes lines of the formats text and json. It writes errors and warnings that
// differ only in their time, and in numbers that follow "#", once in an Interval. Before
// such a line is written again, another one counts how often it was left out. Lines of
// other severities are not limited: in JSON warnings have the verbosity 0, as information
// may have, which is limited too.
type Writer struct {
	out   io.Writer
	clock clock.PassiveClock
	// numbers matches those of connections and the like.
	numbers *regexp.Regexp

	mutex sync.Mutex // guards seen, and keeps two lines together
	seen  map[string]*line
}

// line is what is remembered of a line.
type line struct {
	written time.Time
	leftOut int // since written
}

var _ io.Writer = (*Writer)(nil)

// New returns a Writer. Each Write must be one line, as loggers write.
func New(out io.Writer, passive clock.PassiveClock) *Writer {
	return &Writer{out: out, clock: passive, numbers: regexp.MustCompile(`#\d+`), seen: map[string]*line{}}
}

// Write implements io.Writer. It returns no error for lines that are left out.
func (w *Writer) Write(text []byte) (int, error) {
	at, message, limited := parse(text)
	if !limited {
		return w.out.Write(text)
	}
	key := string(w.numbers.ReplaceAll(message, []byte("#")))
	w.mutex.Lock()
	defer w.mutex.Unlock()
	now := w.clock.Now()
	last := w.seen[key]
	switch {
	case last == nil:
		w.remember(key, now)
	case now.Sub(last.written) < Interval:
		last.leftOut++
		return len(text), nil
	default:
		if err := w.count(at, last.leftOut, now.Sub(last.written)); err != nil {
			return 0, err
		}
		*last = line{written: now}
	}
	return w.out.Write(text)
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

// count writes how often the next line was left out, in its format.
func (w *Writer) count(at []byte, leftOut int, since time.Duration) error {
	const message = "The next line was left out"
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

// parse returns the beginning of a line, with its time, and the rest, with the place in the
// code. It returns false for a line that is not limited.
func parse(text []byte) (at, message []byte, limited bool) {
	head, rest, found := text, []byte(nil), false
	switch {
	case bytes.HasPrefix(text, []byte("E")), bytes.HasPrefix(text, []byte("W")):
		// E0102 15:04:05.000000  PROCESS file.go:1] message
		if head, rest, found = bytes.Cut(text, []byte("] ")); found {
			fields := bytes.Fields(head)
			rest = append(bytes.Clone(fields[len(fields)-1]), rest...)
			head = append(bytes.Clone(head), ']')
		}
	case bytes.HasPrefix(text, []byte(`{"ts":`)):
		// {"ts":1.5,"caller":"file.go:1","msg":"message","v":0}
		if head, rest, found = bytes.Cut(text, []byte(",")); found {
			head = append(bytes.Clone(head), ',')
			_, verbosity, stated := bytes.Cut(rest, []byte(`,"v":`)) // quotes in texts are escaped
			found = !stated || bytes.HasPrefix(verbosity, []byte("0"))
		}
	}
	if !found {
		return nil, nil, false
	}
	return head, rest, true
}
