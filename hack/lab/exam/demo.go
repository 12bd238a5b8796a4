package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// The clients and the server of the demo.
const (
	demoSeats     = 30 // of the level, and how many requests the backend serves at once
	demoTakes     = 250 * time.Millisecond
	demoGreedy    = 30
	demoThreads   = 10 // of each; the queues are too short for all of their requests
	demoMice      = 5
	demoPerSecond = 2 // requests of a mouse
	demoLasts     = 10 * time.Second
	demoHead      = 2 * time.Second // how long the greedy users connect before the mice begin
)

// halfOfTheSeats are a level with half of the seats of a server, 245 shares as the built-in levels together, and a
// schema of some groups that names this level or another.
func halfOfTheSeats(name, level string, queueLength int, groups ...string) string {
	var subjects []string
	for _, group := range groups {
		subjects = append(subjects, fmt.Sprintf("{kind: Group, group: {name: %s}}", group))
	}
	return fmt.Sprintf(`
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: %[1]s}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 245
    borrowingLimitPercent: 0
    limitResponse: {type: Queue, queuing: {queues: 64, handSize: 6, queueLengthLimit: %[3]d}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: %[1]s}
spec:
  matchingPrecedence: 500
  priorityLevelConfiguration: {name: %[2]s}
  distinguisherMethod: {type: ByUser}
  rules:
  - subjects: [%[4]s]
    resourceRules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"]}]
`, name, level, queueLength, strings.Join(subjects, ", "))
}

func demoObjects(level string) string {
	return halfOfTheSeats("everybody", level, 3, "greedy", "mice")
}

// demo is the server with its users.
type demo struct {
	kubectl *harness.Kubectl
	target  *traffic.Target
}

// demonstrate shows in under a minute what flow control does. It starts this project's server on its embedded etcd and
// sends the requests of greedy clients and of a few mice, first exempt from flow control and then through a level that
// divides its seats by user. It prints what they got, and draws it into an SVG file unless its name is empty.
func demonstrate(o *harness.Owner, file string) {
	fmt.Println("Starting the server. The first run compiles it and kubectl, which takes minutes.")
	d := startDemo(o)
	fmt.Printf(`
Each request needs a backend, which serves %d at once for %v each. %d greedy users ask with
%d connections each, without a pause, but obey Retry-After when they are rejected. %d mice, other
users, each ask %d times a second. A run takes %s.

`, demoSeats, demoTakes, demoGreedy, demoThreads, demoMice, demoPerSecond, demoLasts)

	fmt.Printf("1. Without flow control: a FlowSchema exempts all users\n\n")
	without := d.run(o, "exempt")
	without.print(os.Stdout)

	fmt.Printf("\n2. With it: a level of %d seats\n   $ kubectl apply -f -%s\n", demoSeats, strings.ReplaceAll(demoObjects("everybody"), "\n", "\n   "))
	with := d.run(o, "everybody")
	with.print(os.Stdout)

	fmt.Printf("\nA mouse waits for a response for %v (p99) without flow control and for %v with it.\n",
		short(without.mice.Quantile(0.99)), short(with.mice.Quantile(0.99)))
	if file != "" {
		o.Check(drawDemo(file, with, without))
	}
}

// startDemo starts the server. Each request asks the backend.
func startDemo(o *harness.Owner) demo {
	var people []traffic.Person
	for i := range demoGreedy {
		people = append(people, traffic.Person{Name: nameOfGreedy(i), Group: "greedy"})
	}
	for i := range demoMice {
		people = append(people, traffic.Person{Name: traffic.NameOfMouse(i), Group: "mice"})
	}
	server, target := traffic.StartServer(o, harness.ServerOptions{Args: []string{
		fmt.Sprintf("--max-requests-inflight=%d", 2*demoSeats), "--max-mutating-requests-inflight=0", "--authorization-webhook-cache-authorized-ttl=0s",
	}}, people, traffic.Backend{Places: demoSeats, Takes: demoTakes})
	return demo{kubectl: server.Kubectl(o), target: target}
}

func nameOfGreedy(i int) string { return fmt.Sprintf("greedy-%d", i) }

// demoResult is the outcome of one run for the greedy users and the mice.
type demoResult struct{ greedy, mice measurement.Samples }

// run sends the requests of all users, on a level.
func (d demo) run(o *harness.Owner, level string) demoResult {
	d.kubectl.RunInput(o, demoObjects(level), "apply", "-f", "-")
	d.kubectl.Run(o, "wait", "--for=condition=Dangling=False", "flowschema/everybody")
	ask := traffic.Get("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/exempt")
	samples, err := traffic.Load{Flows: []traffic.Flow{
		{Name: elephants, Users: traffic.Tokened(demoGreedy, nameOfGreedy), Threads: demoThreads, Ask: ask, For: demoLasts, Patience: patience},
		{Name: mice, Users: traffic.Tokened(demoMice, traffic.NameOfMouse), Every: time.Second / demoPerSecond, Ask: ask, Start: demoHead, For: demoLasts - demoHead, Patience: patience},
	}}.Run(o.Context(), d.target)
	o.Check(err)
	return demoResult{greedy: samples.Of(elephants), mice: samples.Of(mice)}
}

// print prints the run as a table.
func (r demoResult) print(w io.Writer) {
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "   clients\tserved\trejected (429)\tp50\tp99\t")
	for _, row := range []struct {
		who   string
		tally measurement.Samples
	}{{fmt.Sprintf("%d greedy", demoGreedy), r.greedy}, {fmt.Sprintf("%d mice", demoMice), r.mice}} {
		fmt.Fprintf(table, "   %s\t%d\t%d\t%v\t%v\t\n", row.who, row.tally.Served(), row.tally.Rejected(),
			short(row.tally.Quantile(0.50)), short(row.tally.Quantile(0.99)))
	}
	_ = table.Flush() // fails only if the output is closed
	for _, tally := range []measurement.Samples{r.greedy, r.mice} {
		if failed, err := tally.Failed(); failed > 0 {
			fmt.Fprintf(w, "\n%d requests failed; the last error: %v\n", failed, err)
		}
	}
}

// drawDemo writes the time that the mice's requests took as an SVG file.
func drawDemo(path string, with, without demoResult) error {
	picture := measurement.Picture{
		Title: "Small clients beside 30 greedy ones, before and after one kubectl apply",
		Captions: []string{
			fmt.Sprintf("%d mice, %d requests a second each, beside %d greedy users with %d connections each. A backend serves %d at once for %v.",
				demoMice, demoPerSecond, demoGreedy, demoThreads, demoSeats, demoTakes),
			fmt.Sprintf("Mice rejected: %d without, %d with. Greedy served: %d without, %d with; %d of their requests rejected. Each run takes %s.",
				without.mice.Rejected(), with.mice.Rejected(), without.greedy.Served(), with.greedy.Served(), with.greedy.Rejected(), demoLasts),
			fmt.Sprintf("Measured and drawn by make demo-picture on %d processors, which server and clients share.", runtime.NumCPU()),
		},
	}
	for _, percent := range []int{50, 90, 99} {
		q := float64(percent) / 100
		picture.Groups = append(picture.Groups, measurement.Group{
			Title: fmt.Sprintf("%d%% of the mice's requests get a response within", percent),
			Bars: []measurement.Bar{
				bar("without flow control", failed, without.mice.Quantile(q).Seconds()), bar("with flow control", good, with.mice.Quantile(q).Seconds()),
			},
		})
	}
	return os.WriteFile(path, picture.SVG(), 0o644)
}
