// Command overload measures what a server finishes that is asked for two, five and ten
// times as much as it can do, by the total of its flow control: with static totals, and
// with --flow-control-total=adaptive, which starts at one of them. Either the processor, the
// memory or the speed of etcd is what there is too little of.
//
// An elephant sends lists or gets at random times, however many of them the server has
// answered. Goodput is the rate of its requests that are answered with 200 within two
// seconds of being sent. Meanwhile an important client, of a priority level of its own, gets
// one object 20 times a second. Under the largest load, limits by latency and adaptive
// totals that know one signal alone are measured beside.
//
// The servers take turns. The tables go to stdout and docs/evidence/benchmarks.md, where each shortage
// has a section, which --only measures alone. A run takes 90 minutes by its settings.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/document"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/program"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// settings is the extent of the measurements.
type settings struct {
	factors []float64 // of the capacity
	// settle is how long a total that moves has to come to rest under a load at most, load how
	// long each server is measured in each of the rounds, and capacity how long one is to learn
	// what it can do.
	settle, load, capacity time.Duration
	rounds                 int
	only                   string // what is short; empty: each in turn
}

func main() {
	s := settings{factors: []float64{2, 5, 10}}
	flag.Func("factors", "loads, as multiples of what the server can do (default 2,5,10)", func(value string) (err error) {
		s.factors, err = parseFactors(value)
		return err
	})
	flag.DurationVar(&s.settle, "settle", 2*time.Minute, "how long a total that moves has to come to rest under a load, at most")
	flag.DurationVar(&s.load, "load", 8*time.Second, "how long each server is measured in a round")
	flag.DurationVar(&s.capacity, "capacity", 20*time.Second, "how long a server is measured to learn what it can do")
	flag.IntVar(&s.rounds, "rounds", 6, "how often each server is measured; fewer than 6 give no interval")
	flag.StringVar(&s.only, "only", "", "measure one section alone: processors, memory or etcd, by what is short; or floor, a program that only answers")
	output := flag.String("output", filepath.Join("docs", "evidence", "benchmarks.md"), "file whose section is written, from the top of the repository; empty: none")
	load := flag.String(arrivalsFlag, "", "be the elephant, with this load in JSON (the program runs itself so)")
	idle := flag.String(floorFlag, "", "be a server that only answers, with this port and load in JSON (the program runs itself so)")
	flag.Parse()
	program.Run(func(ctx context.Context) error {
		switch {
		case *load != "":
			return arrive(ctx, *load)
		case *idle != "":
			return serve(ctx, *idle)
		}
		return run(ctx, s, *output)
	})
}

// parseFactors parses numbers that are separated by commas.
func parseFactors(value string) (factors []float64, err error) {
	for field := range strings.SplitSeq(value, ",") {
		factor, err := strconv.ParseFloat(field, 64)
		if err != nil || math.IsNaN(factor) || factor <= 0 || factor > 100 {
			return nil, fmt.Errorf("%q is not a number above 0 and up to 100", field)
		}
		factors = append(factors, factor)
	}
	return factors, nil
}

func run(ctx context.Context, s settings, output string) error {
	chosen := slices.DeleteFunc(shortages(), func(short shortage) bool { return s.only != "" && s.only != short.key })
	withFloor := s.only == "" || s.only == floorFlag
	if len(chosen) == 0 && !withFloor {
		return errors.New("--only is " + strconv.Quote(s.only) + "; it must be processors, memory, etcd or floor")
	}
	publish := func(section, text string) error {
		if output == "" {
			fmt.Print(text)
			return nil
		}
		return document.PublishOf("make overload", section, output, text)
	}
	return harness.Own(ctx, func(o *harness.Owner) {
		if withFloor {
			o.Check(publish("overload-floor", floors(o, s)))
		}
		if len(chosen) > 0 {
			o.Check(publish("overload", method()))
		}
		for _, short := range chosen {
			o.Within(func(o *harness.Owner) { o.Check(publish("overload-"+short.key, report(s, short, short.measure(o, s)))) })
		}
	})
}
