// Command benchmarks measures this project's server beside kube-apiserver, each
// on an etcd of its own of the same version, on the loopback of one machine.
//
// What is compared is measured in turns, so that a machine that becomes slower
// or faster meanwhile does so for both, and each figure is the median of its
// rounds. Both servers keep their default flow control. The client is an
// administrator of both, does not throttle itself and does not decode answers,
// so that the servers and not the client are measured.
//
// The tables go to stdout and between two markers of docs/benchmarks.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/document"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	output := flag.String("output", filepath.Join("docs", "benchmarks.md"), "file whose section about the server is written, from the top of the repository; empty: none")
	rounds := flag.Int("rounds", 7, "how often each start and each load is measured; memory is measured thrice")
	only := flag.String("only", "", "measure one part alone, start, memory or load, and write no file")
	flag.Parse()
	if *rounds < 1 {
		return fmt.Errorf("--rounds is %d; it must be at least 1", *rounds)
	}
	if *only != "" && !slices.Contains([]string{"start", "memory", "load"}, *only) {
		return fmt.Errorf("--only is %q; it must be start, memory or load", *only)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var text string
	err := harness.Own(ctx, func(o *harness.Owner) {
		var tables []table
		if *only == "" || *only == "start" {
			tables = append(tables, measureStarts(o, *rounds))
		}
		if *only == "" || *only == "memory" {
			tables = append(tables, measureMemory(o))
		}
		if *only == "" || *only == "load" {
			tables = append(tables, measureLoad(o, *rounds)...)
		}
		text = report(tables)
	})
	if err != nil {
		return err
	}
	fmt.Print(text)
	if *output == "" || *only != "" {
		return nil
	}
	top, err := binaries.Root()
	if err != nil {
		return err
	}
	section := document.Section{Name: "server", Writer: "make bench"}
	return section.Write(filepath.Join(top, *output), "Benchmarks", text)
}
