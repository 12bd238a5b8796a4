package filter

import (
	"context"
	"time"

	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// admit gets the request its seats, waiting for them if it must.
func (p *passage) admit() bool {
	outcome := p.ticket.Arrive(p.work())
	p.logWork()
	if outcome == queueset.Waiting {
		return p.wait()
	}
	return outcome == queueset.Seated
}

// wait waits for seats, as long as the client does and the request may.
func (p *passage) wait() bool {
	t, ctx := p.ticket, p.request.Context()
	limited, cancel := context.WithDeadline(ctx, p.deadline(ctx))
	defer cancel()

	p.Gauges.Waiting(p.kind(), 1, t.Arrived())
	seated := t.Wait(limited)
	p.Gauges.Waiting(p.kind(), -1, t.Arrived()+t.Waited())
	apirequest.TrackAPFQueueWaitLatency(ctx, t.Waited())
	return seated
}

// deadline returns when a request has waited long enough: when a quarter of its
// time since it arrived at the server has passed.
func (p *passage) deadline(ctx context.Context) time.Time {
	arrived, ok := apirequest.ReceivedTimestampFrom(ctx)
	if !ok {
		arrived = time.Now()
	}
	limit := p.WaitLimit
	if deadline, ok := ctx.Deadline(); ok {
		limit = deadline.Sub(arrived) / 4
	}
	return arrived.Add(min(limit, maxWait))
}
