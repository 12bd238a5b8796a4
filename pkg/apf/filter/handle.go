package filter

import (
	"context"
	"errors"
	"math"
	"sync"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/authentication/user"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// Handle is the method of flowcontrol.Interface that WithPriorityAndFairness of k8s.io/apiserver
// calls for a request. The Filter that is around the chain handles it, with its options. Without
// one around it, the library estimates the request.
func (f *Filter) Handle(
	ctx context.Context,
	digest flowcontrol.RequestDigest,
	note func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string),
	estimateWork func() fcrequest.WorkEstimate,
	queueNote fairqueuing.QueueNoteFn,
	execute func(),
) {
	r := request{Filter: f, apf: f.engine.Begin(), ctx: ctx, info: digest.RequestInfo, exchange: exchangeOf(ctx, f.engine)}
	if r.exchange != nil {
		r.Filter = r.exchange.filter
		defer r.settle()
	}
	FillAttributes(&r.apf.Attributes, digest.RequestInfo, digest.User)
	r.apf.Classify()
	schema, level := r.apf.Schema(), r.apf.Level()
	note(schemaOf(schema), levelOf(level), r.apf.Distinguisher)
	if ctx.Err() != nil {
		r.depart()
		return
	}
	r.apf.Unseated = r.apf.Exempt() && (IsProbe(digest.RequestInfo) || r.Own(digest.User))
	r.apf.Leaves = leaves
	switch {
	case r.info.Verb == "watch":
		if r.admit(estimateWork, queueNote) {
			executeWatch(r, execute)
		}
	case r.apf.Exempt():
		r.executeExempt(digest.User, estimateWork, execute)
	default:
		if r.admit(estimateWork, queueNote) {
			r.execute(execute)
		}
	}
}

// request is one request in the filter.
type request struct {
	*Filter
	apf  *engine.Request
	ctx  context.Context // until the end of the wait
	info *apirequest.RequestInfo
	// exchange is nil without a Filter around the chain.
	exchange *exchange
}

// admit acquires seats and reports whether the request may execute. If not, it has ended.
func (r *request) admit(estimateWork func() fcrequest.WorkEstimate, queueNote fairqueuing.QueueNoteFn) bool {
	work := r.work(estimateWork)
	if r.apf.Unseated {
		work = seats.Work{}
	}
	admitted := r.apf.Admit(r.ctx, work, queueNote)
	logOutcome(r.apf, admitted)
	if waited := r.apf.Waited(); waited > 0 {
		apirequest.TrackAPFQueueWaitLatency(r.ctx, waited)
	}
	if !admitted {
		r.reject()
		return false
	}
	r.annotate(Executed)
	return true
}

// depart ends a request whose client has left, or whose deadline has passed, before it got a seat.
func (r *request) depart() {
	reason := queueset.Cancelled
	if errors.Is(r.ctx.Err(), context.DeadlineExceeded) {
		reason = queueset.TimeOut
	}
	r.apf.Depart(reason)
	r.annotate(reason.String())
	r.apf.End()
}

// execute executes a request that has its seats.
func (r *request) execute(execute func()) {
	defer r.finish()
	if seating := r.seating(); seating != nil {
		seating.begin(r.apf, r.apf.Work)
	}
	execute()
}

// seating returns the Seating of a list that the filter around the chain knows, else nil.
func (r *request) seating() *Seating {
	if r.exchange == nil || r.info.Verb != "list" {
		return nil
	}
	return r.exchange.seating
}

// finish releases the seats and the engine's Request.
func (r *request) finish() {
	if seating := r.seating(); seating != nil {
		r.log("apf_execution_time", seating.End())
		return
	}
	r.log("apf_execution_time", r.apf.Finish())
	r.apf.End()
}

// settle ends what the history counts of a list or a watch.
func (r *request) settle() {
	if r.exchange != nil {
		r.lists.settle(&r.exchange.unmeasured)
	}
}

// executeExempt executes a request of an exempt level, unless too many do.
func (r *request) executeExempt(requester user.Info, estimateWork func() fcrequest.WorkEstimate, execute func()) {
	if r.exempt.execute(r.info, requester, func() {
		r.admit(estimateWork, nil) // never rejected
		r.execute(execute)
	}) {
		return
	}
	r.exempt.logRejection(r.engine.Now(), requester)
	r.apf.Reject()
	logOutcome(r.apf, false)
	r.reject()
}

// executeWatch executes the begin of a watch, which has its seats. A watch whose first events do
// not come gives them back when any other request would end: it may hang for as long as its client
// stays, while its watch cache cannot be filled.
func executeWatch(r request, execute func()) {
	var once sync.Once
	finish := func() { once.Do(func() { r.finish(); r.settle() }) }
	defer finish()
	hangs := r.engine.AfterFunc(patienceOfWatch(r.ctx, r.WaitLimit), finish)
	defer hangs.Stop()
	execute()
}

// FillAttributes sets the attributes of a request from its RequestInfo and its user.
func FillAttributes(a *flow.Attributes, info *apirequest.RequestInfo, requester user.Info) {
	a.User, a.Groups = requester.GetName(), requester.GetGroups()
	a.Verb, a.Path, a.IsResourceRequest = info.Verb, info.Path, info.IsResourceRequest
	a.APIGroup, a.APIVersion = info.APIGroup, info.APIVersion
	a.Resource, a.Subresource = info.Resource, info.Subresource
	a.Namespace, a.Name = info.Namespace, info.Name
}

// schemaOf returns the API object of a flow schema. A mandatory one that the API lacks has none,
// and the library's stands in.
func schemaOf(schema *rules.Schema) *flowcontrolv1.FlowSchema {
	if object, ok := schema.Ref.(*flowcontrolv1.FlowSchema); ok {
		return object
	}
	switch {
	case schema.UID == "" && schema.Name == rules.Exempt:
		return bootstrap.MandatoryFlowSchemaExempt
	case schema.UID == "" && schema.Name == rules.CatchAll:
		return bootstrap.MandatoryFlowSchemaCatchAll
	default:
		return &flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: schema.Name, UID: types.UID(schema.UID)}}
	}
}

// levelOf is schemaOf for a priority level.
func levelOf(level *engine.LevelConfig) *flowcontrolv1.PriorityLevelConfiguration {
	if object, ok := level.Ref.(*flowcontrolv1.PriorityLevelConfiguration); ok {
		return object
	}
	switch {
	case level.UID == "" && level.Name == rules.Exempt:
		return bootstrap.MandatoryPriorityLevelConfigurationExempt
	case level.UID == "" && level.Name == rules.CatchAll:
		return bootstrap.MandatoryPriorityLevelConfigurationCatchAll
	default:
		return &flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: metav1.ObjectMeta{Name: level.Name, UID: types.UID(level.UID)}}
	}
}

func workOf(e fcrequest.WorkEstimate) seats.Work {
	return seats.Work{
		Initial: int(min(e.InitialSeats, math.MaxInt32)),
		Final:   int(min(e.FinalSeats, math.MaxInt32)),
		Latency: e.AdditionalLatency,
	}
}
