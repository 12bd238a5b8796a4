//go:build long

package chaos_test

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

// lagReport returns the section of docs/evidence/reliability.md.
func lagReport(s lagSettings, results []lagResult) string {
	var out strings.Builder
	fmt.Fprintf(&out, `## When the watch cache lags

Written by `+"`make lag`"+` on a machine with %d processors. A server with more than %.0f GiB is killed. %d FlowSchemas of
%d bytes. %d users list all of them, of the latest state, without pause, for %v without a
fault and as long under it. %d others get one object ten times a second. *Peak* is resident
memory, relative to the peak without the fault. *Gets* is their p99 beside the lists, relative to
the p99 under the same fault without lists. *Read* is what etcd sent. *Stale* counts lists of an
object that changes which showed an older state than the latest when they were sent.

| fault | server | lists served, rejected, failed | peak | of etcd | read | gets | stale |
|---|---|---:|---:|---:|---:|---:|---:|
`, runtime.NumCPU(), s.limit/(1<<30), s.objects, s.size, elephants, s.load, mice)
	for i := range results {
		r := &results[i]
		fmt.Fprintf(&out, "| %s | %s | %d, %d, %d (without: %d) | %s%.0f MiB, %.2f | %.0f MiB, %.2f | %.0f MB | %v, %.2f (without: %v) | %d of %d |\n",
			r.fault, r.server, r.with.served, r.with.rejected, r.with.failed, r.without.served,
			r.end(), mebibytes(r.with.peak), r.with.peak/r.without.peak, mebibytes(r.with.etcd), r.with.etcd/r.without.etcd, float64(r.with.read)/1e6,
			r.with.gets.Round(time.Millisecond), float64(r.with.gets)/float64(r.alone), r.without.gets.Round(time.Millisecond), r.stale, r.seen)
	}
	return out.String()
}

// end says how the server ended, if it did.
func (r *lagResult) end() string {
	if r.killed {
		return "**killed** above "
	}
	return ""
}

func mebibytes(bytes float64) float64 { return bytes / (1 << 20) }
