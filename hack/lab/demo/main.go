// Command demo shows in under a minute what a flow schema does. It starts the
// server on its embedded etcd and sends the requests of an elephant and of a
// few mice, once with the example level and schema batch-jobs and once without.
// It prints what each user got. With -picture it also draws the result as an
// SVG file.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

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
The server has %d seats. An elephant, one user of the group batch-jobs, lists all
schemas over %d connections without a pause, but obeys Retry-After when it is
rejected. %d mice, other users, each list them %d times a second. A run takes %s.

`, seats, elephantConnections, mice, mousePerSecond, runTime)

	fmt.Printf("1. With the example artifacts/examples/batch-jobs.yaml\n   $ kubectl apply -f artifacts/examples/batch-jobs.yaml\n\n")
	scene.kubectl.Run(o, "apply", "-f", scene.example)
	scene.kubectl.Run(o, "wait", "--for=condition=Dangling=False", "flowschema/batch-jobs")
	with := scene.run(o)
	with.print(os.Stdout)

	fmt.Printf("\n2. Without it: elephant and mice share the built-in level global-default\n   $ kubectl delete -f artifacts/examples/batch-jobs.yaml\n\n")
	scene.kubectl.Run(o, "delete", "-f", scene.example)
	without := scene.run(o)
	without.print(os.Stdout)

	conclude(os.Stdout, with, without)
	if file != "" {
		o.Check(draw(file, with, without))
	}
}
