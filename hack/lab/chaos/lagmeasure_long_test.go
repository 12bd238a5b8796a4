//go:build long

package chaos_test

import (
	"context"
	"sync"
	"syscall"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	pace = 100 * time.Millisecond
	// memoryInterval is the time between two looks at the memory.
	memoryInterval = 50 * time.Millisecond
)

// lagSettings is the extent of the measurements.
type lagSettings struct {
	objects, size int           // FlowSchemas, and bytes of each
	load          time.Duration // of the lists without a fault, and under it
	quiet         time.Duration // of the gets alone
	limit         float64       // of resident memory in bytes, at which a server is killed
}

// lagResult is what one fault did to one server.
type lagResult struct {
	server, fault string

	without, with  phase         // the load without the fault, and under it
	alone          time.Duration // p99 of the gets alone under the fault
	seen, stale    int           // lists of what changes
	unansweredGets int
	killed         bool // since it exceeded the limit
}

// phase is the load for a while.
type phase struct {
	peak                     float64 // resident memory in bytes
	etcd                     float64 // of etcd
	read                     int64   // bytes from etcd
	served, rejected, failed int     // lists
	gets                     time.Duration
}

// measureLag puts the load on one server without the fault, and on another under it: the peak of
// the one must not contain what the load of the other has left in memory.
func measureLag(o *harness.Owner, s lagSettings, of lagServer, f lagFault) lagResult {
	o.Logf("%s, %s", of.name, f.name)
	r := lagResult{server: of.name, fault: f.name}
	o.Within(func(o *harness.Owner) {
		newLagSite(o, s, of).watched(&r, func(l *lagSite) { r.without, _ = l.load(s.load, elephants) })
	})
	o.Within(func(o *harness.Owner) {
		newLagSite(o, s, of).watched(&r, func(l *lagSite) {
			l.under(f, func() {
				quiet, _ := l.load(s.quiet, 0)
				r.alone = quiet.gets
			})
			l.settle()
			l.under(f, func() { r.with, r.unansweredGets = l.load(s.load, elephants) })
		})
	})
	return r
}

// watched does something while a witness looks for stale lists and the memory is limited.
func (l *lagSite) watched(r *lagResult, do func(*lagSite)) {
	ctx, cancel := context.WithCancel(l.o.Context())
	defer cancel()
	var w witness
	var background sync.WaitGroup
	background.Go(func() { w.run(ctx, l, l.etcd.Client(l.o)) })
	background.Go(func() { l.keepBelow(ctx) })
	do(l)
	cancel()
	background.Wait()
	r.seen, r.stale = r.seen+w.seen, r.stale+w.stale
	r.killed = r.killed || l.killed.Load()
}

// under does something under the fault.
func (l *lagSite) under(f lagFault, do func()) {
	end, err := f.begin(l.etcd, l.proxy)
	l.o.Check(err)
	defer end()
	do()
}

// keepBelow kills the server when its resident memory exceeds the limit.
func (l *lagSite) keepBelow(ctx context.Context) {
	for ctx.Err() == nil {
		resident, err := measurement.ProcessMemory(l.process.PID(), "VmRSS")
		if err != nil {
			return
		}
		if resident > l.limit {
			l.killed.Store(l.process.Signal(syscall.SIGKILL) == nil)
			return
		}
		select {
		case <-time.After(memoryInterval):
		case <-ctx.Done():
		}
	}
}

// settle waits until the server answers a list of the latest state again.
func (l *lagSite) settle() {
	latest := traffic.Request{Path: collection + "?labelSelector=none"}
	if _, _, _, err := l.target.Do(l.o.Context(), traffic.User{Token: nameOfElephant(0)}, latest); !l.killed.Load() {
		l.o.Check(err)
	}
}

// load sends the lists of some elephants, and the gets, for a while.
func (l *lagSite) load(lasts time.Duration, elephants int) (p phase, unansweredGets int) {
	for _, pid := range []int{l.process.PID(), l.etcd.Process.PID()} {
		_ = measurement.ResetPeak(pid) // fails only if it was killed
	}
	read := l.proxy.Read()
	load := traffic.Load{Flows: []traffic.Flow{
		{Name: "lists", Users: traffic.Tokened(elephants, nameOfElephant), Ask: traffic.Get(collection), For: lasts, Patience: traffic.Timeout},
		{Name: "gets", Users: traffic.Tokened(mice, traffic.NameOfMouse), Every: pace, Ask: traffic.Get(collection + "/catch-all"), For: lasts, Patience: traffic.Timeout},
	}}
	samples, err := load.Run(l.o.Context(), l.target)
	l.o.Check(err)
	lists, gets := samples.Of("lists"), samples.Of("gets")
	p.peak, err = measurement.ProcessMemory(l.process.PID(), "VmHWM")
	if err != nil { // it was killed
		p.peak = l.limit
	}
	p.etcd, err = measurement.ProcessMemory(l.etcd.Process.PID(), "VmHWM")
	l.o.Check(err)
	p.read = l.proxy.Read() - read
	p.served, p.rejected, p.gets = lists.Served(), lists.Rejected(), gets.Quantile(0.99)
	p.failed, _ = lists.Failed()
	unansweredGets, _ = gets.Failed()
	return p, unansweredGets + gets.Rejected()
}
