package maintenance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkDefragment measures how long etcd does not answer while a database with
// this much in use is defragmented.
func BenchmarkDefragment(b *testing.B) {
	const keys, value = 25_600, 4 << 10 // 100 MiB in objects of the size of flow schemas
	f := start(b, 0)
	for i := range keys {
		_, err := f.Put(b.Context(), fmt.Sprintf("key/%d", i), strings.Repeat("x", value))
		require.NoError(b, err)
	}
	var longest time.Duration
	for b.Loop() {
		begun := time.Now()
		_, err := f.Defragment(b.Context(), f.Endpoints()[0])
		require.NoError(b, err)
		longest = max(longest, time.Since(begun))
	}
	b.ReportMetric(longest.Seconds(), "longest-s")
	b.ReportMetric(float64(f.etcd.Space().InUseBytes)/(1<<20), "MiB-in-use")
}
