package main

import (
	"fmt"
	"net/http"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// settled is how long a server rests before its memory is read.
	settled = 20 * time.Second
	// audienceClients is the number of connections of the watches: kube-apiserver takes
	// 100 streams on a connection.
	audienceClients = 64
	// perWatch is the unit of the memory of a watch.
	perWatch = "watch-B"
)

// measureSizing measures what a server needs for objects, watches and requests.
func measureSizing(o *harness.Owner, s settings) []table {
	return []table{measureObjectMemory(o, s), measureWatchMemory(o, s), measureProcessorTime(o, s)}
}

// measureObjectMemory measures the resident memory of servers with that many FlowSchemas
// in their caches.
func measureObjectMemory(o *harness.Owner, s settings) table {
	result := table{
		title: "Memory for objects",
		note:  fmt.Sprintf("Resident memory (VmRSS) %v after the first list of all FlowSchemas; %d processes each.", settled, memoryTurns*memoryPairs),
	}
	for _, schemas := range []int{builtIn, 1000, 10_000} {
		o.Logf("sizing: memory for %d FlowSchemas", schemas)
		benchmark := fmt.Sprintf("Sizing/schemas=%d", schemas)
		withPairs(o, schemas, func(o *harness.Owner, servers []contender) {
			for i, server := range servers {
				resident, err := residentMemory(server.process.PID())
				o.Check(err)
				s.record(o, benchmark, pairServer(i), 1, measurement.Values{memory: resident})
			}
		})
		result.rows = append(result.rows, compare(fmt.Sprintf("%d FlowSchemas", schemas), benchmark, memory, 1))
	}
	return result
}

// measureWatchMemory measures servers with idle watches: their resident memory, and what
// each watch adds to the live memory. Resident memory does not show the latter: it includes
// garbage, and the larger server has more room for it before the watches are opened.
func measureWatchMemory(o *harness.Owner, s settings) table {
	result := table{
		title: "Memory for watches",
		note: fmt.Sprintf("Watches of all FlowSchemas without initial events on %d connections, %v after they were opened: resident memory (VmRSS) of the server, and what each watch adds "+
			"to the heap and stacks that are in use after a garbage collection; %d processes each, %d FlowSchemas.", audienceClients, settled, memoryTurns*memoryPairs, population),
	}
	for _, count := range []int{1000, 5000} {
		o.Logf("sizing: memory for %d watches", count)
		benchmark := fmt.Sprintf("Sizing/watches=%d", count)
		withPairs(o, population, func(o *harness.Owner, servers []contender) {
			before := make([]float64, len(servers))
			clients := make([][]*client, len(servers))
			for i, server := range servers {
				clients[i] = server.clients(o, audienceClients)
				before[i] = liveMemory(o, clients[i][0])
				all, err := clients[i][0].page(o.Context(), forms()[0], "limit=1")
				o.Check(err)
				gather(o, clients[i], count, all.ResourceVersion)
			}
			pause(o, settled)
			for i, server := range servers {
				resident, err := residentMemory(server.process.PID())
				o.Check(err)
				added := liveMemory(o, clients[i][0]) - before[i]
				s.record(o, benchmark, pairServer(i), count, measurement.Values{memory: resident, perWatch: added / float64(count)})
			}
		})
		result.rows = append(result.rows,
			compare(fmt.Sprintf("%d watches, the server", count), benchmark, memory, 1),
			compare(fmt.Sprintf("%d watches, of each", count), benchmark, perWatch, 1))
	}
	return result
}

// withPairs calls measure in each turn with new servers, in pairs, that have listed all of
// that many FlowSchemas and have rested. The servers of one kind share an etcd.
func withPairs(o *harness.Owner, schemas int, measure func(*harness.Owner, []contender)) {
	cachePrograms(o)
	o.Within(func(o *harness.Owner) {
		etcds := [2]*harness.Etcd{startEtcd(o), startEtcd(o)}
		if schemas > builtIn {
			fill(o, etcds, schemas-builtIn)
		}
		for range memoryTurns {
			o.Within(func(o *harness.Owner) {
				var servers []contender
				for i := range 2 * memoryPairs {
					server := startAt(o, pairServer(i), etcds[pairServer(i)])
					o.Check(server.clients(o, 1)[0].drain(o.Context(), request{method: http.MethodGet, path: collection}))
					servers = append(servers, server)
				}
				pause(o, settled)
				measure(o, servers)
			})
		}
	})
}

// pairServer returns the kind of a server in a list of pairs.
func pairServer(i int) server { return server(i % 2) }

// measureProcessorTime measures the processor time of requests.
func measureProcessorTime(o *harness.Owner, s settings) table {
	result := table{
		title: "Processor time of requests",
		note:  fmt.Sprintf("Of the server's process (user and system), without etcd, through %d clients; %d FlowSchemas. A create includes the deletion.", manyClients, population),
	}
	o.Within(func(o *harness.Owner) {
		etcds := [2]*harness.Etcd{startEtcd(o), startEtcd(o)}
		fill(o, etcds, population)
		servers := [2]contender{startAt(o, ours, etcds[ours]), startAt(o, theirs, etcds[theirs])}
		clients := [2][]*client{servers[ours].clients(o, manyClients), servers[theirs].clients(o, manyClients)}
		for _, op := range operations() {
			o.Logf("sizing: processor time of a %s", op.name)
			benchmark := "Sizing/op=" + op.name
			for round := range s.rounds + 1 {
				for _, by := range turns(round) {
					before, err := processorTime(servers[by].process.PID())
					o.Check(err)
					_, err = measureRound(o.Context(), clients[by], op)
					o.Check(err)
					after, err := processorTime(servers[by].process.PID())
					o.Check(err)
					if round > 0 { // the first warms up
						s.record(o, benchmark, by, op.count, measurement.Values{processor: (after - before) / float64(op.count)})
					}
				}
			}
			result.rows = append(result.rows, compare(op.name, benchmark, processor, 1))
		}
	})
	return result
}

// startAt starts one of the two servers on the keys that fill writes.
func startAt(o *harness.Owner, by server, etcd *harness.Etcd) contender {
	if by == ours {
		return startOurs(o, etcd, "--etcd-prefix="+storePrefix)
	}
	return startTheirs(o, etcd, "--etcd-prefix="+storePrefix)
}

// pause waits, unless the run is interrupted.
func pause(o *harness.Owner, d time.Duration) {
	select {
	case <-time.After(d):
	case <-o.Context().Done():
		o.Fatalf("%v", o.Context().Err())
	}
}
