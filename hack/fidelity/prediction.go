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

// predictAll simulates all stored traces and returns the tables.
func predictAll(ctx context.Context, servers []server, cases []testCase, runs int, kept store) (string, error) {
	var all []outcome
	for _, s := range servers {
		for _, c := range cases {
			for _, changed := range []bool{false, true} {
				if changed && c.change == "" {
					continue
				}
				found, err := predict(ctx, s, c, changed, runs, kept)
				if err != nil {
					return "", fmt.Errorf("%s on %s: %w", c.name, s.name, err)
				}
				all = append(all, found...)
			}
		}
	}
	return report(all), nil
}

// predict returns the outcomes of a case, by level.
func predict(ctx context.Context, s server, c testCase, changed bool, runs int, kept store) ([]outcome, error) {
	levels := map[string]*outcome{}
	for run := range runs {
		r := kept.of(s.name, run, c.name)
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
		simulated, err := simulated(ctx, s, r.trace(false), r.configuration(changed), loop, c.warmUp)
		if err != nil {
			return nil, err
		}
		for name, f := range actual {
			o := levels[name]
			if o == nil {
				o = &outcome{server: s, of: c, level: name, changed: changed}
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
func simulated(ctx context.Context, s server, traceFile, configurationFile string, loop simulate.Loop, warmUp time.Duration) (map[string]figures, error) {
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
		Engine: s.engine, Loop: loop, Replicas: 1, WarmUp: warmUp,
	}, simulate.Candidate{Name: s.name, Configuration: objects})
	if err != nil {
		return nil, err
	}
	return predicted(report.Results[0]), nil
}
