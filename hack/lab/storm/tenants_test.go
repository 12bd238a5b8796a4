package storm

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/document"
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
func shareBeside(t *testing.T, engine string, names int) float64 {
	t.Helper()
	var mu sync.Mutex // guards the counts
	all, own := 0, 0
	runOn(t, engine, func(server http.Handler) {
		var sending sync.WaitGroup
		start := time.Now()
		client := func(name string, neighbour bool) {
			template := requestOf(name)
			for time.Since(start) < warmUp+measured {
				a := &attempt{takes: tenantTakes, header: http.Header{}}
				ctx, cancel := context.WithTimeout(context.WithValue(request.WithReceivedTimestamp(template.Context(), time.Now()), attemptKey{}, a), requestTimeout)
				server.ServeHTTP(a, template.WithContext(ctx))
				cancel()
				if !a.executed {
					<-time.After(a.retryAfter())
					continue
				}
				if since := time.Since(start); since < warmUp || since >= warmUp+measured {
					continue
				}
				mu.Lock()
				all++
				if neighbour {
					own++
				}
				mu.Unlock()
			}
		}
		for range threads {
			sending.Go(func() { client("system:serviceaccount:shop:neighbour", true) })
		}
		for name := range names {
			for range max(threads/names, threadsOfName) {
				sending.Go(func() { client(fmt.Sprint("system:serviceaccount:crowd:", name), false) })
			}
		}
		sending.Wait()
	})
	assert.InDelta(t, float64(seats)*measured.Seconds()/tenantTakes.Seconds(), all, float64(all)/50, "no seat is idle")
	return float64(own) / float64(all)
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
		shares := map[string]float64{}
		for _, engine := range []string{"library", "ours", withTenants} {
			t.Run(fmt.Sprintf("%d names, %s", names, engine), func(t *testing.T) { shares[engine] = shareBeside(t, engine, names) })
		}
		assert.GreaterOrEqual(t, shares[withTenants], 0.48, "a tenant gets no more for its names")
		assert.InDelta(t, 1/float64(names+1), shares["ours"], 0.02, "without tenants each name has a share")
		row := fmt.Sprintf("| %d | %.3f | %.3f | %.3f | %.3f |\n", names, 1/float64(names+1), shares["library"], shares["ours"], shares[withTenants])
		t.Log(row)
		text += row
	}
	if *update {
		require.NoError(t, document.Publish("make storms", "storm-tenants", filepath.Join("docs", "evidence", "benchmarks.md"), text))
	}
}
