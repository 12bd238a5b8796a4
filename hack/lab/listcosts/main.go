// Command listcosts compares what --list-cost=count, size and learned do to a server with
// a memory limit. 50 connections of one service account list FlowSchemas, of 1 KB, 100 KB
// or 1 MB each and 10 MB together: all or none, from etcd or from the watch cache, encoded
// object by object or, indented, as a whole.
// Meanwhile another user gets one small object 20 times a second.
//
// Each case has a server process and an etcd process of its own. The limit is GOMEMLIMIT
// at nine tenths, and the server is killed when its resident memory exceeds the limit, as
// a kernel does. The program needs no cgroup, which only root can make.
//
// The table goes to stdout and docs/evidence/benchmarks.md. A run takes eleven minutes.
package main

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/document"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/program"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// settings is the extent of the measurements.
type settings struct {
	limit float64 // of memory, in bytes
	load  time.Duration
	only  string // measure only what has this in its name
}

func main() {
	limit := flag.Int("limit", 700, "memory limit of the server in MiB")
	load := flag.Duration("load", 10*time.Second, "how long each case lasts")
	only := flag.String("only", "", "measure only the cases with this in their names, such as \"1 MB, all, etcd\", and write no file")
	output := flag.String("output", filepath.Join("docs", "evidence", "benchmarks.md"), "file whose section is written, from the top of the repository; empty: none")
	flag.Parse()
	s := settings{limit: float64(*limit) * (1 << 20), load: *load, only: *only}
	program.Run(func(ctx context.Context) error { return run(ctx, s, *output) })
}

func run(ctx context.Context, s settings, output string) error {
	var results []result
	err := harness.Own(ctx, func(o *harness.Owner) {
		for _, size := range sizes() {
			for _, list := range lists() {
				for _, cost := range costs() {
					if !strings.Contains(name(size, list, cost), s.only) {
						continue
					}
					o.Within(func(o *harness.Owner) { results = append(results, measure(o, s, size, list, cost)) })
				}
			}
		}
	})
	if err != nil || output == "" || s.only != "" {
		fmt.Print(report(s, results))
		return err
	}
	return document.Publish("listcosts", output, report(s, results))
}

// name is the name of a case.
func name(size size, list list, cost estimate.ListCost) string {
	return fmt.Sprintf("%s, %s, %s", size.name, list.name, cost)
}
