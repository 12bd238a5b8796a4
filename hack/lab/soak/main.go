// Command soak runs one server for a long time under ordinary traffic and under overload,
// in turns, while its configuration changes every second. It samples what the server uses,
// and writes into docs/evidence/reliability.md by how much each figure rises in an hour: the slope
// of the least squares line through the samples of the second half, apart for both kinds
// of traffic. A server that loses nothing over time has slopes about zero.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/document"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/program"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// turn is how long traffic of one kind lasts.
	turn = 30 * time.Second
	// between is the time from one sample to the next. The first one of a turn is left out.
	between = 10 * time.Second
)

func main() { program.Run(run) }

func run(ctx context.Context) error {
	length := flag.Duration("for", 2*time.Hour, "how long the server runs")
	output := flag.String("output", "docs/evidence/reliability.md", "file whose section is written, from the top of the repository; empty: none")
	flag.Parse()
	if *length < 8*turn {
		return fmt.Errorf("--for is %v; it must be at least %v, so that each half has both kinds of traffic twice", *length, 8*turn)
	}
	var samples []sample
	if err := harness.Own(ctx, func(o *harness.Owner) { samples = soak(o, *length) }); err != nil {
		return err
	}
	text, err := report(samples, *length)
	if err != nil {
		return err
	}
	if *output == "" {
		fmt.Print(text)
		return nil
	}
	return document.PublishOf("make soak", "soak", *output, text)
}

// soak runs the server and returns the samples.
func soak(o *harness.Owner, length time.Duration) (samples []sample) {
	s := startSite(o)
	ctx, cancel := context.WithTimeout(o.Context(), length)
	defer cancel()
	changed := make(chan error, 1)
	go func() { changed <- s.change(ctx) }()
	begin := time.Now()
	for number := 0; time.Since(begin)+turn <= length; number++ {
		taken, err := s.turn(ctx, kind(number%2), begin)
		o.Check(err)
		samples = append(samples, taken...)
		o.Logf("soak: %v of %v, %v", time.Since(begin).Round(time.Second), length, taken[len(taken)-1])
	}
	cancel()
	if err := <-changed; err != nil && !errors.Is(err, context.Canceled) {
		o.Check(err)
	}
	return samples
}
