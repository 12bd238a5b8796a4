// Command contention measures what flow control is for: an elephant, one user
// with 200 connections that never pause, and mice, 20 users with one request a
// second each, on one priority level of a real server. It compares the mice
// alone, with the elephant under pkg/apf, under the flow control of
// k8s.io/apiserver in the same server, and with flow control off, in turns.
//
// The table goes to stdout and into docs/benchmarks.md.
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
	rounds := flag.Int("rounds", 3, "how often each case is measured")
	output := flag.String("output", filepath.Join("docs", "benchmarks.md"), "file whose section is written, from the top of the repository")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *rounds, *output)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "contention:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds int, output string) error {
	var text string
	err := harness.Own(ctx, func(o *harness.Owner) {
		results := map[string][]result{}
		for range rounds {
			for _, c := range cases() {
				o.Within(func(o *harness.Owner) { results[c.name] = append(results[c.name], c.measure(o)) })
			}
		}
		text = report(results)
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
