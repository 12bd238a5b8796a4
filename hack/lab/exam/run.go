package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

// played is what was measured in a scene. Times count from its beginning.
type played struct {
	scene   string
	lasts   time.Duration
	samples measurement.Samples
}

// taken is an exam that was taken, possibly not to its end.
type taken struct {
	scenes []played
	// stopped says why the exam stopped before its end.
	stopped error
}

// of returns a scene, or false if it was not played to its end.
func (t taken) of(name string) (played, bool) {
	for _, s := range t.scenes {
		if s.scene == name {
			return s, true
		}
	}
	return played{}, false
}

// take plays the scenes one at a time. An error means that the exam could not begin.
func (p plan) take(ctx context.Context, target *traffic.Target, report func(string)) (taken, error) {
	if err := p.tryOnce(ctx, target); err != nil {
		return taken{}, err
	}
	if !traffic.Pause(ctx, time.Second) { // the tries count for the rate
		return taken{}, context.Cause(ctx)
	}
	var t taken
	report(quiet)
	first, err := p.play(ctx, target, p.opening())
	if err != nil {
		return taken{}, err
	}
	t.scenes = append(t.scenes, first)
	// Less than one request in a hundred takes longer, unless it waits.
	leave := 2 * first.samples.Of(alone).Quantile(1)
	for _, s := range p.scenes(leave) {
		report(s.name)
		next, err := p.play(ctx, target, s)
		if err != nil {
			t.stopped = fmt.Errorf("%s: %w", s.name, err)
			return t, nil
		}
		t.scenes = append(t.scenes, next)
	}
	return t, nil
}

// tryOnce sends each kind of request once.
func (p plan) tryOnce(ctx context.Context, target *traffic.Target) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, one := range []struct {
		who  traffic.User
		path string
	}{{traffic.User{}, p.probe}, {p.user("mouse-0"), p.get}, {p.user("elephant-0"), p.heavy}, {p.user("lister-0"), p.list}, {p.accounts("crowd", 1)[0], p.heavy}} {
		status, _, body, err := target.Do(ctx, one.who, traffic.Request{Path: one.path})
		if err != nil {
			return err
		}
		if status != http.StatusOK {
			who := one.who.Name
			if who == "" {
				who = "the caller"
			}
			return fmt.Errorf("%s cannot read %s: status %d: %.200s; grant it to the group %s, or name a group that may with -group",
				who, one.path, status, body, usersGroup)
		}
	}
	return nil
}

// play plays a scene, and then lets the server rest. It returns an error as soon as a probe is late or
// fails.
func (p plan) play(ctx context.Context, target *traffic.Target, s scene) (played, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	load := traffic.Load{Rate: p.rate, Seen: func(sample measurement.Sample) {
		switch {
		case sample.Flow != prober:
		case sample.Left:
			stop(fmt.Errorf("the probe %s got no answer within %v", p.probe, p.late))
		case sample.Err != nil:
			stop(fmt.Errorf("the probe %s failed: %w", p.probe, sample.Err))
		case sample.Status != http.StatusOK:
			stop(fmt.Errorf("the probe %s was answered %d", p.probe, sample.Status))
		}
	}}
	for _, flow := range append(p.steady(), s.flows...) {
		flow.For = s.lasts
		load.Flows = append(load.Flows, flow)
	}
	samples, err := load.Run(ctx, target)
	if err != nil {
		return played{}, err
	}
	if cause := context.Cause(ctx); cause != nil {
		return played{}, cause
	}
	if !traffic.Pause(ctx, settle) {
		return played{}, context.Cause(ctx)
	}
	return played{s.name, s.lasts, samples}, nil
}
