// Command lag measures what a watch cache that lags behind etcd does to a server: this project's,
// kube-apiserver, and kube-apiserver with pkg/apf. Fifty users list all
// FlowSchemas of the latest state without pause, each with one connection. Six others get one
// object ten times a second. The same lists run on another server without a fault, and in each
// fault the gets run alone first: the figures are relative to these.
//
// The faults: etcd answers, but its watches report nothing; and etcd is paused for five
// seconds, and answers and reports half a second late then.
//
// All the time one object changes in etcd, and one user lists it: a list that shows an older
// value than etcd had when it was sent is counted as stale.
//
// Each server has a process, an etcd and a proxy before it of its own. A run takes a minute and a
// half for each server and fault.
package main

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/program"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// settings is the extent of the measurements.
type settings struct {
	objects, size int           // FlowSchemas, and bytes of each
	load          time.Duration // of the lists without a fault, and under it
	quiet         time.Duration // of the gets alone
	limit         float64       // of resident memory in bytes, at which a server is killed
	only          string
}

func main() {
	var s settings
	flag.IntVar(&s.objects, "objects", 10_000, "number of FlowSchemas")
	flag.IntVar(&s.size, "size", 1_000, "size of each in bytes")
	flag.DurationVar(&s.load, "load", 20*time.Second, "how long the lists run without a fault, and under it")
	flag.DurationVar(&s.quiet, "quiet", 8*time.Second, "how long the gets run alone under a fault")
	limit := flag.Int("limit", 8, "resident memory in GiB above which a server is killed, as by a kernel")
	flag.StringVar(&s.only, "only", "", "measure only servers and faults with this in their names, and write no file")
	output := flag.String("output", filepath.Join("docs", "evidence", "reliability.md"), "file whose section is written, from the top of the repository; empty: none")
	flag.Parse()
	s.limit = float64(*limit) * (1 << 30)
	program.Run(func(ctx context.Context) error { return run(ctx, s, *output) })
}

func run(ctx context.Context, s settings, output string) error {
	var results []result
	err := harness.Own(ctx, func(o *harness.Owner) {
		for _, fault := range faults() {
			for _, server := range servers() {
				if !strings.Contains(server.name+", "+fault.name, s.only) {
					continue
				}
				o.Within(func(o *harness.Owner) { results = append(results, measure(o, s, server, fault)) })
			}
		}
	})
	text := report(s, results)
	if err != nil || output == "" || s.only != "" {
		fmt.Print(text)
		return err
	}
	return measurement.Publish("make lag", "lag", output, text)
}
