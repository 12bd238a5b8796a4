package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/plain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// Options says what is recorded.
type Options struct {
	// Audit and HTTP are audit logs, and logs with lines of -v=3.
	Audit, HTTP []Log
	// Stdin is what the path - reads; nil for nothing.
	Stdin io.Reader
	// Clock is the clock of lines of text.
	Clock logs.Clock
}

// silence is the time without a request that a trace says to have.
const silence = time.Hour

// Recording is the requests of logs, sorted in temporary files. Close it.
type Recording struct {
	header  trace.Header
	options Options
	sorted  sorter[item]
	tally   tally
	servers servers
	notes   []string
	unfit   error
}

// New reads the logs. It returns an error if they have no requests, or if a log that is
// named, instead of found in a directory, is none.
func New(ctx context.Context, o Options) (*Recording, error) {
	r := &Recording{options: o, sorted: sorter[item]{compare: byArrival, limit: inMemory, weigh: weightOf}}
	if err := r.read(ctx); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Close removes the temporary files.
func (r *Recording) Close() { r.sorted.close() }

// Header returns the header of the trace.
func (r *Recording) Header() trace.Header { return r.header }

// Unfit says why the requests are no trace, which bounds the time; nil if they are.
func (r *Recording) Unfit() error { return r.unfit }

// Notes returns sentences about what is wrong with the logs, and which of their requests are left out.
func (r *Recording) Notes() []string {
	return slices.Concat(r.tally.ungovernedNotes(), r.notes, r.servers.notes())
}

// Each yields the requests in the order of their arrivals, until the caller returns an
// error.
func (r *Recording) Each(ctx context.Context, yield func(*trace.Request) error) error {
	return r.Requests(ctx, func(one *logs.Request) error { return yield(&one.Request) })
}

// Requests is Each with all that the logs tell about a request.
func (r *Recording) Requests(ctx context.Context, yield func(*logs.Request) error) error {
	_, err := r.each(ctx, func(i *item) error { return yield(&i.Request) })
	return err
}

// each yields each request once, with its server: a pipeline may deliver an event twice, and a file may have two
// names. It returns how many were there before.
func (r *Recording) each(ctx context.Context, yield func(*item) error) (repeated int64, err error) {
	var at time.Time
	seen := map[string]bool{}
	err = r.sorted.each(func(i *item) error {
		if !i.Arrival.Equal(at) {
			at = i.Arrival
			clear(seen)
		}
		if i.ID != "" {
			key := i.key()
			if seen[key] {
				repeated++
				return nil
			}
			seen[key] = true
		}
		if i.Segment >= 0 {
			i.Replica = r.servers.nameOf(i.Segment)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return yield(i)
	})
	return repeated, err
}

func (r *Recording) read(ctx context.Context) error {
	o := &r.options
	if len(o.Audit) == 0 && len(o.HTTP) == 0 {
		return errors.New("an audit log or a log of -v=3 is required")
	}
	into := r.sorted.add
	var unjoined *sorter[item]
	if len(o.Audit) > 0 && len(o.HTTP) > 0 {
		unjoined = &sorter[item]{compare: byID, limit: inMemory, weigh: weightOf}
		defer unjoined.close()
		into = unjoined.add
	}
	if err := r.readAll(ctx, o.Audit, func(f file, in io.Reader) (logs.Summary, error) { return r.readAudit(f, in, into) }); err != nil {
		return err
	}
	if err := r.readAll(ctx, o.HTTP, func(f file, in io.Reader) (logs.Summary, error) { return r.readHTTP(f, in, into) }); err != nil {
		return err
	}
	if unjoined != nil {
		if err := r.join(unjoined); err != nil {
			return err
		}
	}
	return r.complete(ctx)
}

// complete checks the requests, and makes the header.
func (r *Recording) complete(ctx context.Context) error {
	r.servers.name()
	var last time.Time
	var silences []string
	repeated, err := r.each(ctx, func(i *item) error {
		r.tally.add(i)
		at := i.Arrival
		switch gap := at.Sub(last); {
		case last.IsZero():
			r.header.Start = &at
		case gap > silence:
			if gap > trace.MaxGap {
				r.unfit = fmt.Errorf("no request arrived from %s to %s: a clock jumped, or a part of the logs is missing; record each part from its own logs",
					last.Format(time.RFC3339), at.Format(time.RFC3339))
			}
			silences = append(silences, last.Format(time.RFC3339)+" to "+at.Format(time.RFC3339))
		}
		last = at
		return nil
	})
	switch {
	case err != nil:
		return err
	case r.tally.requests == 0:
		return errors.New("the logs have no request that flow control governs")
	case r.unfit == nil && last.Sub(*r.header.Start) > trace.MaxSpan:
		r.unfit = fmt.Errorf("the requests are of %s to %s, and may be of %s: record each part from its own logs",
			r.header.Start.Format(time.RFC3339), last.Format(time.RFC3339), trace.MaxSpan)
	}
	r.tally.repeated += repeated
	h := &r.header
	h.Source, h.End, h.Requests = r.source(), &last, r.tally.requests
	h.Replicas = slices.Sorted(maps.Keys(r.tally.replicas))
	h.LeftOut = r.tally.leftOut(h.Source)
	h.LeftOut.Notes = slices.Concat(h.LeftOut.Notes, r.notes, r.servers.notes())
	if n := len(silences); n > 0 {
		const named = 5
		text := "No request arrived from " + strings.Join(silences[:min(n, named)], ", ")
		if n > named {
			text += fmt.Sprintf(" and %d more times", n-named)
		}
		h.LeftOut.Notes = append(h.LeftOut.Notes, text+": the servers were idle or down, or a part of the logs is missing.")
	}
	return nil
}

func (r *Recording) source() trace.Source {
	switch {
	case len(r.options.HTTP) == 0:
		return trace.SourceAudit
	case len(r.options.Audit) == 0:
		return trace.SourceHTTP
	default:
		return trace.SourceJoined
	}
}

// readAll reads the files of logs.
func (r *Recording) readAll(ctx context.Context, named []Log, read func(file, io.Reader) (logs.Summary, error)) error {
	all, err := files(named)
	if err != nil {
		return err
	}
	var without []string
	for _, f := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		in, err := r.options.open(f.Path)
		if err != nil {
			return err
		}
		r.servers.begin(f.Path)
		summary, err := read(f, plain.Until(ctx, in))
		_ = in.Close()
		if ctx.Err() != nil {
			return ctx.Err() // not a truncated log
		}
		if f.listed && (errors.Is(err, logs.ErrNoEvents) || errors.Is(err, logs.ErrNoRequests)) {
			without = append(without, f.Path)
			continue
		}
		if err != nil {
			return err
		}
		r.notes = append(r.notes, summary.Notes()...)
	}
	if len(without) > 0 {
		r.notes = append(r.notes, "Files without requests are left out: "+strings.Join(without, ", ")+".")
	}
	return nil
}

// open opens a file, or standard input for "-".
func (o *Options) open(path string) (io.ReadCloser, error) {
	if path == stdin && o.Stdin != nil {
		return io.NopCloser(o.Stdin), nil
	}
	return os.Open(path)
}

// found completes what a file tells about a request, and passes it on.
func (r *Recording) found(f file, from origin, one *logs.Request, into func(item) error) error {
	one.Replica = cmp.Or(f.Replica, one.Replica, logs.ServerOf(filepath.ToSlash(f.Path)))
	i := item{Origin: from, Segment: -1, Request: *one}
	if one.Replica == "" {
		i.Segment = r.servers.segment(from, one.End())
	}
	return into(i)
}

func (r *Recording) readAudit(f file, in io.Reader, into func(item) error) (logs.Summary, error) {
	return logs.ReadEvents(f.Path, in, func(one *logs.Request) error {
		switch {
		case !one.Governed():
			r.tally.longRunning++
			return nil
		case one.User == "":
			r.tally.unauthenticated++
			return nil
		case one.Latency == nil && !one.Completed.IsZero():
			r.tally.jumped++
		}
		return r.found(f, fromAudit, one, into)
	})
}

func (r *Recording) readHTTP(f file, in io.Reader, into func(item) error) (logs.Summary, error) {
	return logs.ReadRequestLines(f.Path, in, r.options.Clock, func(one *logs.Request) error {
		if one.FlowSchema == "" {
			r.tally.unclassified++
			return nil
		}
		return r.found(f, fromLine, one, into)
	})
}
