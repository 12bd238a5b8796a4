package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

const (
	mice = 6
	// pace is the time between two requests of a mouse.
	pace = 150 * time.Millisecond
)

// ask sends the requests of all mice for a while, and waits for their answers. It returns an error if one was not served.
func (l *site) ask(ctx context.Context, lasts time.Duration) (measurement.Samples, error) {
	users := traffic.Tokened(mice, func(i int) string { return l.mice[i] })
	load := traffic.Load{Flows: []traffic.Flow{{Users: users, Every: pace, Ask: traffic.Get(l.server.mouse), For: lasts, Patience: traffic.Timeout}}}
	samples, err := load.Run(ctx, l.target)
	if err == nil && samples.Served() < len(samples) {
		_, last := samples.Failed()
		err = errors.Join(fmt.Errorf("%s: %d of %d requests of mice were not served", l.server.mouse, len(samples)-samples.Served(), len(samples)), last)
	}
	return samples, err
}
