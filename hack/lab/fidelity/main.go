// Command fidelity measures how well `kubectl apf simulate` predicts real servers.
//
// Each case has clients (a scenario of package pkg/insight/scenario) and a configuration.
// The clients send to a real server, whose audit log and lines of -v=3 become a trace.
// The trace is simulated with the configuration of the server. What the simulation says
// of a priority level is compared with what the server did: waits, rejected requests and
// seats in use.
//
// Execution takes a chosen time because a proxy in front of etcd delays the reads of
// objects whose names say for how long. So flow control, and not the machine, decides
// how long requests wait.
//
// In the case "changed", the configuration changes half way. Its second half is predicted
// from the trace of the first one.
//
// Traces and configurations are kept in .cache/fidelity, so that -stored predicts again
// without running servers. The table goes to stdout and between markers of
// docs/evidence/fidelity.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/document"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/program"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

func main() { program.Run(run) }

func run(ctx context.Context) error {
	runs := flag.Int("runs", 5, "how often each case runs on each server")
	server := flag.String("server", "", "run one server alone, and write no file: "+strings.Join(serverNames(), ", "))
	name := flag.String("case", "", "run one case alone, and write no file")
	stored := flag.Bool("stored", false, "run no server: predict from the stored traces again")
	resume := flag.Bool("resume", false, "keep the stored runs, and run missing ones")
	output := flag.String("output", filepath.Join("docs", "evidence", "fidelity.md"), "file whose section is written, from the top of the repository; empty: none")
	sample := flag.String("sample", "", "only record the trace that docs/simulate.md walks through, to this file")
	flag.Parse()
	if *sample != "" {
		return recordSample(ctx, *sample)
	}
	if *runs < 1 {
		return fmt.Errorf("-runs is %d: must be at least 1", *runs)
	}
	root, err := binaries.Root()
	if err != nil {
		return err
	}
	kept := store{filepath.Join(root, ".cache", "fidelity")}
	cases, err := readCases(*name)
	if err != nil {
		return err
	}
	chosen, err := chooseServers(*server)
	if err != nil {
		return err
	}
	if !*stored && !*resume {
		if err := os.RemoveAll(kept.dir); err != nil {
			return err
		}
	}
	if !*stored {
		if err := runAll(ctx, chosen, cases, *runs, kept); err != nil {
			return err
		}
	}
	table, err := predictAll(ctx, chosen, cases, *runs, kept)
	if err != nil {
		return err
	}
	if *output == "" || *server != "" || *name != "" {
		fmt.Print(table)
		return nil
	}
	return document.PublishOf("make fidelity", "fidelity", *output, table)
}

// runAll runs each case on each server. The servers take turns, so that a change of the
// machine's speed affects all.
func runAll(ctx context.Context, servers []server, cases []testCase, runs int, kept store) error {
	if err := os.MkdirAll(kept.dir, 0o755); err != nil {
		return err
	}
	return harness.Own(ctx, func(o *harness.Owner) {
		for run := range runs {
			for _, s := range servers {
				if kept.complete(s, run, cases) {
					continue
				}
				o.Logf("run %d of %d on %s", run+1, runs, s.name)
				o.Within(func(o *harness.Owner) {
					r := s.start(o)
					for _, c := range cases {
						o.Logf("  %s", c.name)
						o.Within(func(o *harness.Owner) { r.play(o, c, uint64(run+1), kept.of(s.name, run, c.name)) })
					}
				})
			}
		}
	})
}
