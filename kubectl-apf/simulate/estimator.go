package simulate

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// estimator estimates the seats of requests.
type estimator struct {
	costs  estimate.Estimator
	stored map[string]trace.Stored
	counts *seatCounts
}

// seatCounts count the requests by where their seats are from.
type seatCounts struct {
	recorded, computed uint64
	// unsized is the number of computed ones without the size of the objects.
	unsized uint64
	// assumed is the number of lists that count as one seat.
	assumed uint64
}

func newEstimator(kind EngineKind, c configuration.Configuration, header trace.Header) estimator {
	e := estimator{costs: estimate.Own(), stored: header.Stored, counts: &seatCounts{}}
	if kind == Library {
		minor, _ := c.Release.Minor()
		e.costs = estimate.ForKubernetes(minor)
	}
	return e
}

// work returns the work of a request on a level with a bound: the trace's, or what the stored
// objects give, or one seat.
func (e *estimator) work(r *trace.Request, maxWidth int) seats.Work {
	if r.Seats != nil {
		e.counts.recorded++
		work := seats.Work{Initial: int(r.Seats.Initial), Final: int(r.Seats.Final), Latency: r.Seats.AdditionalLatency.Duration}.Normal()
		if maxWidth > 0 {
			work.Initial = min(work.Initial, maxWidth)
		}
		return work.ClampFinal(maxWidth)
	}
	if r.Verb != "list" && r.Verb != "watch" || r.Resource == "" {
		return estimate.One()
	}
	read := r.Read()
	if !e.costs.Formula().CountsStored(read) {
		return estimate.One()
	}
	stored, ok := e.stored[schema.GroupResource{Group: r.APIGroup, Resource: r.Resource}.String()]
	if !ok {
		e.counts.assumed++
		return estimate.One()
	}
	e.counts.computed++
	if e.costs.Formula().BySize && stored.Objects > 0 && stored.Bytes <= 0 {
		e.counts.unsized++
	}
	return e.costs.Read(read, estimate.Stored{Objects: stored.Objects, Size: stored.Bytes}, maxWidth).Work
}

// notes returns sentences about where the seats are from.
func (e *estimator) notes() []string {
	var notes []string
	if n := e.counts.computed; n > 0 {
		notes = append(notes, fmt.Sprintf("The seats of %d lists and watches follow from the stored objects in the trace: the trace has no seats of theirs.", n))
	}
	if n := e.counts.unsized; n > 0 {
		notes = append(notes, fmt.Sprintf("%d of them take the most seats that they may: the trace lacks the size of the objects.", n))
	}
	if n := e.counts.assumed; n > 0 {
		notes = append(notes, fmt.Sprintf("%d lists and watches count as one seat: the trace has neither their seats nor the number of stored objects.", n))
	}
	return notes
}
