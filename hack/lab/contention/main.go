// Command contention measures the effect of flow control on an elephant and
// mice that share one priority level of a real server. The elephant is one user
// with 200 connections that never pause. The mice are 20 users with one request
// a second each. It compares four cases in turns: the mice alone, and the
// elephant and the mice under pkg/apf, under the flow control of
// k8s.io/apiserver in the same server, and without flow control. Each case runs
// in two settings: the level has as many seats as a slow backend can serve, or
// only the processors are slow.
//
// The results go to .cache/benchmarks/contention.txt, the tables to stdout and
// docs/evidence/benchmarks.md. A run takes twelve minutes.
package main

import (
	"context"
	"flag"
	"path/filepath"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/document"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/program"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

func main() {
	rounds := flag.Int("rounds", 6, "how often each case is measured; fewer than 6 give no interval")
	output := flag.String("output", filepath.Join("docs", "evidence", "benchmarks.md"), "file whose section is written, from the top of the repository")
	kubeconfig := flag.String(elephantFlag, "", "be the elephant, on the server of this kubeconfig (the program runs itself so)")
	flag.Parse()
	program.Run(func(ctx context.Context) error {
		if *kubeconfig != "" {
			return eat(ctx, *kubeconfig)
		}
		return run(ctx, *rounds, *output)
	})
}

func run(ctx context.Context, rounds int, output string) error {
	measured, err := measurement.Keep("contention", func(log *measurement.Log) error {
		return harness.Own(ctx, func(o *harness.Owner) {
			for range rounds {
				for _, s := range settings() {
					for _, c := range cases() {
						o.Within(func(o *harness.Owner) { o.Check(log.Add(benchmark(s, c), 1, c.measure(o, s))) })
					}
				}
			}
		})
	})
	if err != nil {
		return err
	}
	text, err := report(measured, rounds)
	if err != nil {
		return err
	}
	return document.Publish("contention", output, text)
}

func benchmark(s setting, c contest) string { return "Contention/short=" + s.key + "/case=" + c.key }
