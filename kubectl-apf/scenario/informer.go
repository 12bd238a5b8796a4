package scenario

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

const (
	// firstBackoff and lastBackoff are the times that a reflector of client-go waits
	// after a failure, doubled each time.
	firstBackoff = 800 * time.Millisecond
	lastBackoff  = 30 * time.Second
	// observedVersion stands for the resource version that a list had.
	observedVersion = "1"
)

// informer lists, and watches from there.
type informer struct {
	identity
	*Informer

	listed bool
	failed int
}

var _ agent = (*informer)(nil)

func (i *informer) start() (time.Duration, bool) { return i.from, true }

func (i *informer) send(time.Duration) (trace.Request, time.Duration, bool) {
	r := i.build(&i.requests[0])
	switch {
	case i.listed:
		options := trace.ListOptions{ResourceVersion: observedVersion}
		i.watch(&r, options, i.Execution.draw(i.random))
	case i.WatchList:
		options := trace.ListOptions{ResourceVersionMatch: "NotOlderThan", SendInitialEvents: new(true)}
		i.watch(&r, options, r.Execution.Duration)
	}
	return r, 0, false
}

// watch makes a watch of a list.
func (i *informer) watch(r *trace.Request, options trace.ListOptions, execution time.Duration) {
	if r.List != nil {
		options.LabelSelector, options.FieldSelector = r.List.LabelSelector, r.List.FieldSelector
	}
	lasts := time.Duration((1 + i.random.Float64()) * float64(i.WatchFor))
	r.Verb, r.List, r.Status = "watch", &options, 200
	r.Execution = &metav1.Duration{Duration: execution}
	r.Latency = &metav1.Duration{Duration: max(lasts, execution)}
}

func (i *informer) answer(now time.Duration, a Answer) (time.Duration, bool) {
	if !a.succeeded() {
		wait := doubled(firstBackoff, i.failed, lastBackoff)
		i.failed++
		// The jitter of client-go doubles the time at most.
		wait += time.Duration(i.random.Float64() * float64(wait))
		return now + max(wait, a.RetryAfter), true
	}
	i.failed = 0
	if i.listed {
		i.listed = i.random.Float64() >= i.Relist
	} else {
		// A watch that began with the stored objects has ended too.
		i.listed = true
	}
	return now, true
}
