package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// patience is how long a server without a permission is waited for.
const patience = 30 * time.Second

// The cases of a round.
const alone, without = "alone", "without"

// result is what was measured of a server.
type result struct {
	server        server
	rounds        int
	lines         map[string]lines // of library and fair
	raised, added []string
	// waited is the time to readiness of each program without a permission to read the
	// configuration of flow control; it has no entry for one that did not become ready.
	waited   map[string]time.Duration
	measured measurement.Rounds
}

func (s server) measure(o *harness.Owner, rounds int) result {
	got := result{server: s, rounds: rounds, lines: map[string]lines{}, waited: map[string]time.Duration{}}
	m, err := s.module()
	o.Check(err)
	o.Logf("building %s (minutes the first time)", s.name)
	o.Check(m.build(o.Context()))
	for _, program := range []string{library, fair} {
		got.lines[program], err = m.changed(o.Context(), program)
		o.Check(err)
	}
	got.raised, got.added, err = m.raised(o.Context())
	o.Check(err)
	l := newSite(o, s)
	l.first(m)
	for _, program := range []string{plain, library, fair} {
		o.Within(func(o *harness.Owner) {
			if took, ok := l.start(o, m.path(program), l.switches(program)...).awaitReady(o.Context(), patience); ok {
				got.waited[program] = took
			}
		})
		o.Logf("%s without further permissions: %v", program, got.waited[program])
	}
	got.measured, err = measurement.Keep("adoption-"+s.name, func(log *measurement.Log) error {
		for range rounds {
			l.round(o, m, log)
		}
		return nil
	})
	o.Check(err)
	return got
}

// switches are the further arguments of a program.
func (l *site) switches(program string) []string {
	switch {
	case program == plain:
		return l.server.off
	case program == library && l.server.library != nil:
		return l.server.library
	case program == library && l.server.backend.Places > 0:
		return []string{fmt.Sprintf("--flow-control-seats=%d", l.server.backend.Places)}
	}
	return []string{fmt.Sprintf("--flow-control-seats=%d", l.server.seats)}
}

// first runs the server for the first time, and makes what is read.
func (l *site) first(m module) {
	l.o.Within(func(o *harness.Owner) {
		l.start(o, m.path(plain), l.server.off...)
		if l.server.fill != nil {
			l.server.fill(l)
		}
		l.awaitServed(o, l.server.mouse)
	})
}

// round measures each case once.
func (l *site) round(o *harness.Owner, m module, log *measurement.Log) {
	for _, program := range []string{plain, library, fair} {
		l.mayReadConfiguration(program == library)
		o.Within(func(o *harness.Owner) {
			process := l.start(o, m.path(program), l.switches(program)...)
			took, ok := process.awaitReady(o.Context(), 2*patience)
			if !ok {
				o.Fatalf("%s of %s did not become ready: %s", program, l.server.name, process.Output())
			}
			l.awaitServed(o, l.server.mouse)
			for _, name := range slices.Concat(map[string][]string{plain: {alone}}[program], []string{nameOf(program)}) {
				values := l.contest(o, name != alone)
				values[ready] = took.Seconds()
				o.Logf("%s %s: %v", l.server.name, name, values)
				o.Check(log.Add(name, 1, values))
			}
		})
	}
}

// nameOf names the case with the elephant.
func nameOf(program string) string {
	if program == plain {
		return without
	}
	return program
}
