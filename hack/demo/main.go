// Command demo shows in under a minute what a flow schema does: it starts the
// server on its embedded etcd, lets an elephant and a few mice loose, once with
// the example level and schema batch-jobs and once without, and prints who got
// what.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/program"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

func main() {
	program.Run(func(ctx context.Context) error { return harness.Own(ctx, demonstrate) })
}

func demonstrate(o *harness.Owner) {
	fmt.Println("Starting the server. The first time, it and kubectl are compiled before, which takes minutes.")
	scene := setUp(o)
	fmt.Printf(`
The server has %d seats. An elephant, one user of the group batch-jobs, lists all
schemas through %d connections without a pause, unless it is refused and told how
long to wait; %d mice, other users, each list them %d times a second, for %s.

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
}
