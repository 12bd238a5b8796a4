package filter

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// New returns the filter. All handlers that it wraps share its state.
func New(e *engine.Engine, options Options) func(http.Handler) http.Handler {
	options = options.complete()
	f := &filter{
		Options:      options,
		engine:       e,
		schemaHeader: http.CanonicalHeaderKey(flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID),
		levelHeader:  http.CanonicalHeaderKey(flowcontrolv1.ResponseHeaderMatchedPriorityLevelConfigurationUID),
		rejections:   newRejections(),
		lists:        newLists(options, e.Now),
		exempt:       &exemptGate{ExemptLimit: options.ExemptLimit},
	}
	return func(handler http.Handler) http.Handler { return &filteredHandler{filter: f, handler: handler} }
}

type filter struct {
	Options
	engine                    *engine.Engine
	schemaHeader, levelHeader string // in canonical form
	rejections                *rejections
	lists                     *lists
	exempt                    *exemptGate
}

// filteredHandler is a handler behind the filter.
type filteredHandler struct {
	*filter
	handler http.Handler
}

var _ http.Handler = (*filteredHandler)(nil)

// ServeHTTP implements http.Handler.
func (h *filteredHandler) ServeHTTP(w http.ResponseWriter, httpRequest *http.Request) {
	ctx := httpRequest.Context()
	info, ok := apirequest.RequestInfoFrom(ctx)
	if !ok {
		fail(w, httpRequest, errors.New("no RequestInfo in the request context: WithRequestInfo must come before flow control in the handler chain"))
		return
	}
	requester, ok := apirequest.UserFrom(ctx)
	if !ok {
		fail(w, httpRequest, errors.New("no user in the request context: authentication must come before flow control in the handler chain"))
		return
	}
	watch := info.Verb == "watch"
	if !watch && h.LongRunning(httpRequest, info) {
		klog.V(6).InfoS("Serving a long-running request without flow control", "verb", info.Verb, "path", info.Path, "user", requester.GetName())
		h.handler.ServeHTTP(w, httpRequest)
		return
	}

	r := request{filter: h.filter, apf: h.engine.Begin(), http: httpRequest, info: info, logged: isLogged()}
	FillAttributes(&r.apf.Attributes, info, requester)
	r.apf.Classify()
	r.apf.Unseated = r.apf.Exempt() && h.Own(requester)
	r.setHeaders(w.Header())
	switch {
	case !watch && r.apf.Exempt():
		h.serveExempt(&r, w, requester)
	case !r.admit():
		r.reject(w)
	case watch:
		r.serveWatch(w, h.handler)
	default:
		r.serve(w, h.handler)
	}
}

// FillAttributes sets the attributes of a request from its RequestInfo and its user.
func FillAttributes(a *flow.Attributes, info *apirequest.RequestInfo, requester user.Info) {
	a.User, a.Groups = requester.GetName(), requester.GetGroups()
	a.Verb, a.Path, a.IsResourceRequest = info.Verb, info.Path, info.IsResourceRequest
	a.APIGroup, a.APIVersion = info.APIGroup, info.APIVersion
	a.Resource, a.Subresource = info.Resource, info.Subresource
	a.Namespace, a.Name = info.Namespace, info.Name
}

// fail responds to a request that the handler chain did not prepare.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	klog.ErrorS(err, "Unable to classify request", "URI", r.RequestURI)
	http.Error(w, fmt.Sprintf("Internal Server Error: %q", r.RequestURI), http.StatusInternalServerError)
}

// request is one request in the filter.
type request struct {
	*filter
	apf    *engine.Request
	http   *http.Request
	info   *apirequest.RequestInfo
	logged bool
	// Of a list:
	list    *measuredList // nil if it is not measured
	seating *Seating
}

// kind returns the value of the metric label request_kind.
func (r *request) kind() stats.Kind {
	switch r.info.Verb {
	case "get", "list", "watch":
		return stats.ReadOnly
	default:
		return stats.Mutating
	}
}

// setHeaders tells the client the UIDs of its flow schema and priority level. Their
// names may be confidential. One array serves both headers (BenchmarkFilter).
func (r *request) setHeaders(header http.Header) {
	r.logClass()
	uids := [...]string{r.apf.Schema().UID, r.apf.Level().UID}
	for i, name := range [...]string{r.schemaHeader, r.levelHeader} {
		if uids[i] != "" { // built-in objects and manifests have none
			header[name] = uids[i : i+1 : i+1]
		}
	}
}

// admit acquires seats and reports whether the request may execute.
func (r *request) admit() bool {
	work := r.work()
	if r.apf.Unseated {
		work = seats.Work{}
	}
	r.logWork(work)
	outcome := r.apf.Arrive(work)
	admitted := outcome == queueset.Seated || outcome == queueset.Waiting && r.wait()
	LogOutcome(r.apf, admitted)
	return admitted
}

// wait waits for seats until the deadline, or until the client leaves.
func (r *request) wait() bool {
	ctx := r.http.Context()
	limited, cancel := context.WithDeadline(ctx, r.waitDeadline(ctx))
	defer cancel()

	r.Gauges.Waiting(r.kind(), 1, r.apf.Arrived())
	seated := r.apf.Wait(limited)
	r.Gauges.Waiting(r.kind(), -1, r.apf.Arrived()+r.apf.Waited())
	apirequest.TrackAPFQueueWaitLatency(ctx, r.apf.Waited())
	return seated
}

// waitDeadline returns when to stop waiting: after a quarter of the time from the
// arrival at the server to the deadline of the request.
func (r *request) waitDeadline(ctx context.Context) time.Time {
	arrived, ok := apirequest.ReceivedTimestampFrom(ctx)
	if !ok {
		arrived = time.Now()
	}
	limit := r.WaitLimit
	if deadline, ok := ctx.Deadline(); ok {
		limit = deadline.Sub(arrived) / 4
	}
	return arrived.Add(min(limit, maxWait))
}

// serve executes a request that has its seats.
func (r *request) serve(w http.ResponseWriter, handler http.Handler) {
	r.Gauges.Executing(r.kind(), 1, r.apf.Started())
	defer r.finish()
	r.annotate(Executed)
	if r.seating != nil {
		r.seating.begin(r.apf, r.apf.Work)
		r.list.serve(w, r.http, handler, r.seating)
		return
	}
	handler.ServeHTTP(w, r.http)
}

// finish releases the seats and the engine's Request, and returns the duration of
// the execution.
func (r *request) finish() time.Duration {
	executed, now := r.release()
	r.Gauges.Executing(r.kind(), -1, now)
	r.log("apf_execution_time", executed)
	return executed
}

// release releases the seats and the engine's Request. It returns the duration of the execution
// and the present.
func (r *request) release() (executed, now time.Duration) {
	if r.seating != nil {
		return r.seating.End(), r.engine.Now()
	}
	started := r.apf.Started()
	executed = r.apf.Finish()
	r.apf.End()
	return executed, started + executed
}
