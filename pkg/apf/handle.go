package apf

import (
	"context"
	"math"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	endpointsrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server/httplog"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// Handle implements flowcontrol.Interface. queueNote is called only for
// requests that have to wait.
func (f *FlowControl) Handle(
	ctx context.Context,
	digest flowcontrol.RequestDigest,
	note func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string),
	estimateWork func() fcrequest.WorkEstimate,
	queueNote fairqueuing.QueueNoteFn,
	execute func(),
) {
	t := f.engine.Begin()
	describe(t, digest)
	t.Classify()
	note(t.Schema().Ref.(*flowcontrolv1.FlowSchema), t.Level().Ref.(*flowcontrolv1.PriorityLevelConfiguration), t.Distinguisher)
	work := workOf(estimateWork())
	// The library's estimator counts them too, in the family that ours replaces.
	if estimate.IsWrite(&t.Attributes) {
		t.NoteWatchers(f.GetInterestedWatchCount(digest.RequestInfo))
	}
	admitted := t.Admit(ctx, work, queueNote)
	if waited := t.Waited(); waited > 0 {
		endpointsrequest.TrackAPFQueueWaitLatency(ctx, waited)
	}
	if !admitted {
		t.End()
		return
	}
	defer func() {
		httplog.AddKeyValue(ctx, "apf_execution_time", t.Finish())
		t.End()
	}()
	execute()
}

func describe(t *engine.Ticket, digest flowcontrol.RequestDigest) {
	a, info := &t.Attributes, digest.RequestInfo
	a.User, a.Groups = digest.User.GetName(), digest.User.GetGroups()
	a.Verb, a.Path, a.IsResourceRequest = info.Verb, info.Path, info.IsResourceRequest
	a.APIGroup, a.APIVersion = info.APIGroup, info.APIVersion
	a.Resource, a.Subresource = info.Resource, info.Subresource
	a.Namespace, a.Name = info.Namespace, info.Name
}

func workOf(e fcrequest.WorkEstimate) seats.Work {
	return seats.Work{
		Initial: int(min(e.InitialSeats, math.MaxInt32)),
		Final:   int(min(e.FinalSeats, math.MaxInt32)),
		Latency: e.AdditionalLatency,
	}
}
