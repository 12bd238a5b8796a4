// Command contention measures what flow control is for: an elephant, one user
// with 200 connections that never pause, and mice, 20 users with one request a
// second each, on one priority level of a real server. It compares the mice
// alone, with the elephant under pkg/apf, under the flow control of
// k8s.io/apiserver in the same server, and with flow control off, in turns: once
// where the level's seats are as many as a slow backend can serve, and once where
// only the processors are slow.
//
// The tables go to stdout and into docs/benchmarks.md. It takes six minutes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/document"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

func main() {
	count := flag.Int("rounds", 3, "how often each case is measured")
	output := flag.String("output", filepath.Join("docs", "benchmarks.md"), "file whose section is written, from the top of the repository")
	kubeconfig := flag.String(elephantFlag, "", "be the elephant, on the server of this kubeconfig (the program runs itself so)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	work := func() error { return run(ctx, *count, *output) }
	if *kubeconfig != "" {
		work = func() error { return eat(ctx, *kubeconfig) }
	}
	err := work()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "contention:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, count int, output string) error {
	var text string
	err := harness.Own(ctx, func(o *harness.Owner) {
		measured := make([]rounds, len(settings()))
		for range count {
			for i, s := range settings() {
				round := map[string]result{}
				for _, c := range cases() {
					o.Within(func(o *harness.Owner) { round[c.name] = c.measure(o, s) })
				}
				measured[i] = append(measured[i], round)
			}
		}
		text = report(measured)
	})
	if err != nil {
		return err
	}
	fmt.Print(text)
	root, err := binaries.Root()
	if err != nil {
		return err
	}
	section := document.Section{Name: "contention", Writer: "make bench"}
	return section.Write(filepath.Join(root, output), "Benchmarks", text)
}
