package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/trace"
)

// outcome is what one level did on one server in all runs, and what was predicted.
type outcome struct {
	server     server
	delay      time.Duration
	of         testCase
	level      string
	changed    bool
	actual     []figures // of each run
	prediction []figures
}

// name returns what the row of the table is about.
func (o *outcome) name() string {
	name := o.of.name
	if o.changed {
		name += ", after"
	} else if o.of.change != "" {
		name += ", before"
	}
	if o.level != prefix {
		name += ", " + o.level[len(prefix)+1:]
	}
	return name
}

// dispatchDelays are the delays to choose from: the best one for each server.
func dispatchDelays() []time.Duration {
	return []time.Duration{0, 250 * time.Microsecond, 500 * time.Microsecond, 750 * time.Microsecond, time.Millisecond, 1500 * time.Microsecond}
}

// predictAll simulates all stored traces and returns the tables. The dispatch delay of each
// server is fitted to the cases that are not held back.
func predictAll(ctx context.Context, servers []server, cases []testCase, runs int, kept store) (string, error) {
	var all []outcome
	for _, s := range servers {
		var best []outcome
		for _, delay := range dispatchDelays() {
			found, err := predictCases(ctx, prediction{s, delay, runs, kept}, cases, false)
			if err != nil {
				return "", err
			}
			if best == nil || fittingError(found) < fittingError(best) {
				best = found
			}
		}
		held, err := predictCases(ctx, prediction{s, best[0].delay, runs, kept}, cases, true)
		if err != nil {
			return "", err
		}
		all = append(append(all, best...), held...)
	}
	return report(all), nil
}

// prediction is how the runs on a server are predicted.
type prediction struct {
	server server
	delay  time.Duration
	runs   int
	kept   store
}

// predictCases returns the outcomes of the cases that are held back, or of the others.
func predictCases(ctx context.Context, p prediction, cases []testCase, held bool) ([]outcome, error) {
	var all []outcome
	for _, c := range cases {
		if c.held != held {
			continue
		}
		for _, changed := range []bool{false, true} {
			if changed && c.change == "" {
				continue
			}
			found, err := p.predict(ctx, c, changed)
			if err != nil {
				return nil, fmt.Errorf("%s on %s: %w", c.name, p.server.name, err)
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

// predict returns the outcomes of a case, by level.
func (p prediction) predict(ctx context.Context, c testCase, changed bool) ([]outcome, error) {
	levels := map[string]*outcome{}
	for run := range p.runs {
		r := p.kept.of(p.server.name, run, c.name)
		if _, err := os.Stat(r.trace(changed)); run > 0 && errors.Is(err, os.ErrNotExist) {
			break // there are fewer runs on this server
		}
		actual, err := measured(r.trace(changed), c.warmUp)
		if err != nil {
			return nil, err
		}
		loop := simulate.Open
		if changed {
			loop = simulate.Closed // the first half does not know when clients send in the second
		}
		simulated, err := p.simulated(ctx, r.trace(false), r.configuration(changed), loop, c.warmUp)
		if err != nil {
			return nil, err
		}
		for name, f := range actual {
			o := levels[name]
			if o == nil {
				o = &outcome{server: p.server, delay: p.delay, of: c, level: name, changed: changed}
				levels[name] = o
			}
			o.actual = append(o.actual, f)
			o.prediction = append(o.prediction, simulated[name])
		}
	}
	var out []outcome
	for _, name := range slices.Sorted(maps.Keys(levels)) {
		out = append(out, *levels[name])
	}
	return out, nil
}

// simulated returns what the simulation says of the levels.
func (p prediction) simulated(ctx context.Context, traceFile, configurationFile string, loop simulate.Loop, warmUp time.Duration) (map[string]figures, error) {
	content, err := os.ReadFile(configurationFile)
	if err != nil {
		return nil, err
	}
	var objects configuration.Configuration
	if err := json.Unmarshal(content, &objects); err != nil {
		return nil, fmt.Errorf("reading %s: %w", configurationFile, err)
	}
	report, err := simulate.Run(ctx, simulate.Options{
		Open:   func() (simulate.Source, error) { return trace.Open(traceFile) },
		Engine: p.server.engine, Loop: loop, Replicas: 1, WarmUp: warmUp, DispatchDelay: p.delay,
	}, simulate.Candidate{Name: p.server.name, Configuration: objects})
	if err != nil {
		return nil, err
	}
	return predicted(report.Results[0]), nil
}
