package options

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	genericapiserver "k8s.io/apiserver/pkg/server"
)

// BenchmarkAtRest measures the heap and the goroutines that flow control adds to a server
// without requests.
func BenchmarkAtRest(b *testing.B) {
	const servers = 20
	var kept []*genericapiserver.Config
	for b.Loop() {
		kept = nil
		for range servers {
			kept = append(kept, genericapiserver.NewConfig(codecs()))
		}
		heap, goroutines := heapAfterCollection(), runtime.NumGoroutine()
		stop := make(chan struct{})
		for _, config := range kept {
			require.NoError(b, NewOptions().ApplyTo(config))
			go func() { _ = config.FlowControl.Run(stop) }()
		}
		b.ReportMetric(float64(heapAfterCollection()-heap)/servers/1024, "KiB/server")
		b.ReportMetric(float64(runtime.NumGoroutine()-goroutines)/servers, "goroutines/server")
		close(stop)
	}
	runtime.KeepAlive(kept)
}

func heapAfterCollection() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc) + int64(m.StackInuse)
}

// Without a file and without the cluster, only the engine runs: the function that divides the
// seats, the one that waits for the end, and Run itself.
func TestNothingRunsButTheEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := genericapiserver.NewConfig(codecs())
		require.NoError(t, NewOptions().ApplyTo(config))
		before := runtime.NumGoroutine()
		stop, stopped := make(chan struct{}), make(chan error)
		go func() { stopped <- config.FlowControl.Run(stop) }()
		<-time.After(time.Minute)
		require.LessOrEqual(t, runtime.NumGoroutine()-before, 3)
		close(stop)
		require.NoError(t, <-stopped)
	})
}
