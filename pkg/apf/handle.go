package apf

import (
	"context"
	"math"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	endpointsrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server/httplog"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// Handle implements flowcontrol.Interface. It calls queueNote only for requests that
// wait.
func (f *FlowControl) Handle(
	ctx context.Context,
	digest flowcontrol.RequestDigest,
	note func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string),
	estimateWork func() fcrequest.WorkEstimate,
	queueNote fairqueuing.QueueNoteFn,
	execute func(),
) {
	t := f.engine.Begin()
	filter.FillAttributes(&t.Attributes, digest.RequestInfo, digest.User)
	t.Classify()
	schema, level := t.Schema(), t.Level()
	note(
		objectOf(schema.Ref, schema.Name, bootstrap.MandatoryFlowSchemaExempt, bootstrap.MandatoryFlowSchemaCatchAll),
		objectOf(level.Ref, level.Name, bootstrap.MandatoryPriorityLevelConfigurationExempt, bootstrap.MandatoryPriorityLevelConfigurationCatchAll),
		t.Distinguisher)
	work := workOf(estimateWork())
	// The estimator of the library counts them too, but in the metric of the library.
	if estimate.IsWrite(&t.Attributes) {
		t.ObserveWatchers(f.GetInterestedWatchCount(digest.RequestInfo))
	}
	admitted := t.Admit(ctx, work, queueNote)
	filter.LogOutcome(t, admitted)
	if waited := t.Waited(); waited > 0 {
		endpointsrequest.TrackAPFQueueWaitLatency(ctx, waited)
	}
	if !admitted {
		t.End()
		return
	}
	seating := filter.Begin(ctx, t, work)
	defer func() {
		httplog.AddKeyValue(ctx, "apf_execution_time", finish(t, seating))
	}()
	execute()
}

// finish ends a request that executes, whose Seating is nil if it has none.
func finish(t *engine.Request, seating *filter.Seating) time.Duration {
	if seating != nil {
		return seating.End()
	}
	defer t.End()
	return t.Finish()
}

// objectOf returns the API object of a flow schema or priority level. A mandatory one that the API
// lacks has none, and the library's stands in.
func objectOf[O any](ref any, name string, exempt, catchAll O) O {
	if object, ok := ref.(O); ok {
		return object
	}
	if name == rules.Exempt {
		return exempt
	}
	return catchAll
}

func workOf(e fcrequest.WorkEstimate) seats.Work {
	return seats.Work{
		Initial: int(min(e.InitialSeats, math.MaxInt32)),
		Final:   int(min(e.FinalSeats, math.MaxInt32)),
		Latency: e.AdditionalLatency,
	}
}
