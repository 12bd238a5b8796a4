package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// Options says what is recorded.
type Options struct {
	// Audit and HTTP are audit logs, and logs with lines of -v=3.
	Audit, HTTP []Log
	// Clock is the clock of lines of text.
	Clock logs.Clock
	// Observe is called with each audit event, also of requests that are not recorded; nil for none.
	Observe func(*logs.Request)
}

// silence is the time without a request that a trace says to have.
const silence = time.Hour

// Recording is the requests of logs, sorted in temporary files. Close it.
type Recording struct {
	header  trace.Header
	options Options
	sorted  sorter[item]
	tally   tally
	notes   []string
}

// New reads the logs. It returns an error if they have no requests, or if a log that is
// named, instead of found in a directory, is none.
func New(ctx context.Context, o Options) (*Recording, error) {
	r := &Recording{options: o, sorted: sorter[item]{compare: byArrival, limit: inMemory}}
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

// Each yields the requests in the order of their arrivals, until the caller returns an
// error.
func (r *Recording) Each(ctx context.Context, yield func(*trace.Request) error) error {
	return r.sorted.each(func(i *item) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return yield(&i.Request.Request)
	})
}

func (r *Recording) read(ctx context.Context) error {
	o := &r.options
	if len(o.Audit) == 0 && len(o.HTTP) == 0 {
		return errors.New("an audit log or a log of -v=3 must be given")
	}
	into := r.add
	var unjoined *sorter[item]
	if len(o.Audit) > 0 && len(o.HTTP) > 0 {
		unjoined = &sorter[item]{compare: byID, limit: inMemory}
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
		if err := joinAll(unjoined, r.add); err != nil {
			return err
		}
	}
	return r.complete(ctx)
}

// complete checks the requests, and makes the header.
func (r *Recording) complete(ctx context.Context) error {
	if r.tally.requests == 0 {
		return errors.New("the logs have no request that flow control governs")
	}
	var last time.Time
	var silences []string
	err := r.sorted.each(func(i *item) error {
		at := i.Arrival
		switch gap := at.Sub(last); {
		case last.IsZero():
			r.header.Start = &at
		case gap > trace.MaxGap:
			return fmt.Errorf("no request arrived from %s to %s: a clock jumped, or a part of the logs is missing; record each part from its own logs",
				last.Format(time.RFC3339), at.Format(time.RFC3339))
		case gap > silence:
			silences = append(silences, last.Format(time.RFC3339)+" to "+at.Format(time.RFC3339))
		}
		last = at
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	h := &r.header
	h.Source, h.End, h.Requests = r.source(), &last, r.tally.requests
	h.Replicas = slices.Sorted(maps.Keys(r.tally.replicas))
	h.LeftOut = r.tally.leftOut(h.Source)
	h.LeftOut.Notes = append(h.LeftOut.Notes, r.notes...)
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

// add adds a request that is complete.
func (r *Recording) add(i item) error {
	r.tally.add(&i)
	i.ID, i.URI, i.Address, i.Completed = "", "", "", time.Time{}
	return r.sorted.add(i)
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
		in, err := os.Open(f.Path)
		if err != nil {
			return err
		}
		summary, err := read(f, in)
		_ = in.Close()
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

func (r *Recording) readAudit(f file, in io.Reader, into func(item) error) (logs.Summary, error) {
	return logs.ReadEvents(f.Path, in, func(one *logs.Request) error {
		if r.options.Observe != nil {
			r.options.Observe(one)
		}
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
		one.Replica = f.Replica
		return into(item{fromAudit, *one})
	})
}

func (r *Recording) readHTTP(f file, in io.Reader, into func(item) error) (logs.Summary, error) {
	return logs.ReadRequestLines(f.Path, in, r.options.Clock, func(one *logs.Request) error {
		if one.FlowSchema == "" {
			r.tally.unclassified++
			return nil
		}
		one.Replica = f.Replica
		return into(item{fromLine, *one})
	})
}

// joinAll joins the items with the same audit ID and URI, an event with a line each, in
// the order of their arrivals.
func joinAll(items *sorter[item], add func(item) error) error {
	var events, lines []item
	flush := func() error {
		for k := range max(len(events), len(lines)) {
			var err error
			switch {
			case k >= len(lines):
				err = add(events[k])
			case k >= len(events):
				err = add(lines[k])
			default:
				err = add(join(&events[k], &lines[k]))
			}
			if err != nil {
				return err
			}
		}
		events, lines = events[:0], lines[:0]
		return nil
	}
	id, uri := "", ""
	err := items.each(func(i *item) error {
		if i.ID != id || i.URI != uri || id == "" {
			if err := flush(); err != nil {
				return err
			}
		}
		id, uri = i.ID, i.URI
		if i.Origin == fromAudit {
			events = append(events, *i)
		} else {
			lines = append(lines, *i)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}
