package storm

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

const (
	// A tenant has so many threads, divided among its names, and at least so many for each name. A thread
	// sends a request when the last one is answered. So tenant and neighbour always ask for more than they get.
	threads, threadsOfName = 40, 4
	tenantTakes            = 100 * time.Millisecond
	// The share is measured after the start.
	warmUp, measured = 10 * time.Second, time.Minute
)

// shareBeside returns the part of the executed requests that a neighbour of one name has beside a tenant
// with so many names.
func shareBeside(t *testing.T, engine traffic.Engine, names int) (share float64) {
	t.Helper()
	traffic.RunEngine(t, engine, traffic.NewWork(tenantTakes, seed), func(t *testing.T, server http.Handler) {
		client := func(name string, users []traffic.User, threads int) traffic.Flow {
			return traffic.Flow{Name: name, Users: users, Threads: threads, Ask: traffic.Get(path), For: warmUp + measured}
		}
		load := traffic.Load{Flows: []traffic.Flow{
			client("neighbour", users("system:serviceaccount:shop:neighbour-%d", 1), threads),
			client("crowd", users("system:serviceaccount:crowd:%d", names), max(threads/names, threadsOfName)),
		}}
		samples, err := load.Run(t.Context(), traffic.TargetIn(server))
		require.NoError(t, err)
		for _, n := range []string{"neighbour", "crowd"} {
			o := samples.Of(n)
			c := map[int]int{}
			for _, x := range o {
				c[x.Status]++
			}
			t.Log(n, len(o), c, o.Quantile(0.5), o.Quantile(0.99))
		}
		late := samples.Ended(warmUp, warmUp+measured)
		all := late.Served()
		assert.InDelta(t, traffic.Seats*measured.Seconds()/tenantTakes.Seconds(), all, float64(all)/50, "no seat is idle")
		share = float64(late.Of("neighbour").Served()) / float64(all)
	})
	return share
}

const tenantsHead = `## Names of one tenant

Written by ` + "`make storms`" + ` in virtual time, each engine through its HTTP filter: the level of the storms above,
with 20 seats and requests of 100 ms. The service accounts of one namespace are K names, with 40 threads
in all and at least 4 for each name. A service account of another namespace has 40 threads. A thread sends a
request when the last one is answered. The figure is the neighbour's part of all executed requests, over a minute.
By names 1/(K+1) is fair, and by tenants 1/2. In the library a flow shares each of the queues of its hand with others.

| K | 1/(K+1) | library | this engine | this engine, ` + "`--flow-control-tenants=service-account-namespaces`" + ` |
|---:|---:|---:|---:|---:|
`

// TestStormOfNames measures what a neighbour gets beside a tenant with many names.
func TestStormOfNames(t *testing.T) {
	rows, text := []int{150}, tenantsHead
	if *update {
		rows = []int{1, 10, 150}
	}
	for _, names := range rows {
		shares := map[traffic.Engine]float64{}
		for _, engine := range []traffic.Engine{traffic.Library, traffic.Ours, traffic.WithTenants} {
			t.Run(fmt.Sprintf("%d names, %s", names, engine), func(t *testing.T) { shares[engine] = shareBeside(t, engine, names) })
		}
		assert.GreaterOrEqual(t, shares[traffic.WithTenants], 0.48, "a tenant gets no more for its names")
		assert.InDelta(t, 1/float64(names+1), shares[traffic.Ours], 0.02, "without tenants each name has a share")
		row := fmt.Sprintf("| %d | %.3f | %.3f | %.3f | %.3f |\n", names, 1/float64(names+1), shares[traffic.Library], shares[traffic.Ours], shares[traffic.WithTenants])
		t.Log(row)
		text += row
	}
	if *update {
		require.NoError(t, measurement.Publish("make storms", "storm-tenants", filepath.Join("docs", "evidence", "benchmarks.md"), text))
	}
}
