// Command demo shows in under a minute what flow control does. It starts the server on its
// embedded etcd and sends the requests of greedy clients and of a few mice, first exempt from
// flow control and then through a level that divides its seats by user. It prints what they got.
// With -picture it also draws the result as an SVG file.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/program"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

func main() {
	file := flag.String("picture", "", "SVG file to draw the result into")
	flag.Parse()
	program.Run(func(ctx context.Context) error {
		return harness.Own(ctx, func(o *harness.Owner) { demonstrate(o, *file) })
	})
}

func demonstrate(o *harness.Owner, file string) {
	fmt.Println("Starting the server. The first run compiles it and kubectl, which takes minutes.")
	scene := setUp(o)
	fmt.Printf(`
Each request needs a backend, which serves %d at once for %v each. %d greedy users ask with
%d connections each, without a pause, but obey Retry-After when they are rejected. %d mice, other
users, each ask %d times a second. A run takes %s.

`, seats, takes, greedy, connections, mice, mousePerSecond, runTime)

	fmt.Printf("1. Without flow control: a FlowSchema exempts all users\n\n")
	without := scene.run(o, "exempt")
	without.print(os.Stdout)

	fmt.Printf("\n2. With it: a level of %d seats\n   $ kubectl apply -f -%s\n", seats, strings.ReplaceAll(crowd().Objects(traffic.Everybody), "\n", "\n   "))
	with := scene.run(o, traffic.Everybody)
	with.print(os.Stdout)

	fmt.Printf("\nA mouse waits for a response for %s (p99) without flow control and for %s with it.\n",
		short(without.mice.Quantile(0.99)), short(with.mice.Quantile(0.99)))
	if file != "" {
		o.Check(draw(file, with, without))
	}
}
