package main

import (
	"fmt"
	"os"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// memoryPairs is the number of processes of each server that are measured at
	// the same time; memoryTurns is the number of turns.
	memoryPairs = 3
	memoryTurns = 2
	// memoryAge is the age of a process when its memory is measured.
	memoryAge = time.Minute
)

// measureMemory measures the resident memory of idle servers. The pairs of a
// turn run at the same time, because each only waits.
func measureMemory(o *harness.Owner, s settings) []table {
	cachePrograms(o)
	for range memoryTurns {
		o.Logf("memory: %d pairs, a minute after their start", memoryPairs)
		o.Within(func(o *harness.Owner) {
			var contenders []contender
			for range memoryPairs {
				contenders = append(contenders,
					startOurs(o, startEtcd(o)),
					startTheirs(o, startEtcd(o)))
			}
			for i, contender := range contenders {
				select {
				case <-time.After(time.Until(contender.process.Started.Add(memoryAge))):
				case <-o.Context().Done():
					o.Fatalf("%v", o.Context().Err())
				}
				resident, err := measurement.ProcessMemory(contender.process.PID(), "VmRSS")
				o.Check(err)
				s.record(o, "Memory", server(i%2), 1, measurement.Values{memory: resident})
			}
		})
	}
	return []table{{
		title: "Memory",
		note: fmt.Sprintf("Resident memory (VmRSS), idle, one minute after exec, external etcd; %d processes each, up to %d at once.",
			memoryTurns*memoryPairs, memoryPairs),
		rows: []measurement.Comparison{compare("resident memory", "Memory", memory, 1.0/3)},
	}}
}

// cachePrograms reads both programs into the page cache. A page fault also maps
// the surrounding pages that are in the cache. Without this, the resident
// memory would depend on the age of the build.
func cachePrograms(o *harness.Owner) {
	for _, program := range []binaries.Build{binaries.Release, binaries.KubeAPIServer} {
		_, err := os.ReadFile(harness.Program(o, program))
		o.Check(err)
	}
}
