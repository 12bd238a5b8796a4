// Command bench compares the engine, the server and the limiter with their peers on this machine, and writes
// docs/evidence/benchmarks.md.
//
// Peers take turns, so that a change of the machine's speed affects both. Each figure is the median of its rounds.
// Servers are measured on loopback, each on its own etcd of the same version, with their default flow
// control. The client does not throttle itself and does not decode answers during a measurement.
//
// The results go to .cache/benchmarks in the Go benchmark format, which benchstat -col=/server reads. The
// tables go to stdout and between markers of the document.
package main

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/program"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

func main() { program.Run(run) }

// settings is the extent of the measurements.
type settings struct {
	rounds  int
	schemas int // in the measurements with many schemas
	tasks   string
	beside  string           // another build of this server, instead of kube-apiserver
	log     *measurement.Log // receives the results
}

func run(ctx context.Context) error {
	var s settings
	output := flag.String("output", filepath.Join("docs", "evidence", "benchmarks.md"), "file whose sections are written, from the top of the repository; empty: none")
	flag.IntVar(&s.rounds, "rounds", 9, "how often each figure is measured, idle memory apart; fewer than 6 give no interval")
	flag.IntVar(&s.schemas, "schemas", 10_000, "how many FlowSchemas there are in the part large")
	flag.StringVar(&s.tasks, "tasks", "", "with --only=large: measure only what has this in its name, such as create, and write no file")
	only := flag.String("only", "", "measure one section alone, or a part of one, which writes no file: "+strings.Join(names(), ", "))
	flag.StringVar(&s.beside, "beside", "", "with --only=certificates: the path of another build of this server, to measure beside it instead of kube-apiserver")
	profile := flag.String("profile", "", "measure nothing, and write to this file a CPU profile of this server under the requests of the part large, for the compiler")
	flag.Parse()
	if s.rounds < 1 || s.schemas < 1 {
		return fmt.Errorf("--rounds and --schemas are %d and %d; each must be at least 1", s.rounds, s.schemas)
	}
	if *profile != "" {
		return takeProfiles(ctx, s, *profile)
	}
	if s.beside != "" && *only != "certificates" {
		return fmt.Errorf("--beside=%s requires --only=certificates, and --only is %q", s.beside, *only)
	}
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	for _, section := range chosen {
		if err := section.write(ctx, s, *output); err != nil {
			return err
		}
	}
	return nil
}

// write measures the section and prints it. A complete section also replaces
// its text in the output file, if there is one.
func (s section) write(ctx context.Context, settings settings, output string) error {
	name, partial := s.name, s.partial || settings.tasks != ""
	if partial {
		name += "-part"
	}
	var tables []table
	measured, err := measurement.Keep(name, func(log *measurement.Log) error {
		if s.benchmarks != nil {
			return s.benchmarks(ctx, log, settings.rounds)
		}
		settings.log = log
		return harness.Own(ctx, func(o *harness.Owner) {
			for _, part := range s.parts {
				tables = append(tables, part.measure(o, settings)...)
			}
		})
	})
	if err != nil {
		return err
	}
	report := s.report
	if report == nil {
		report = func(measured measurement.Rounds, _ int) (string, error) { return s.tables(tables, measured) }
	}
	text, err := report(measured, settings.rounds)
	if err != nil {
		return err
	}
	if output == "" || partial {
		fmt.Print(text)
		return nil
	}
	return measurement.Publish("make bench", s.name, output, text)
}
