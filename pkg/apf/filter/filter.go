package filter

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
)

// New returns a filter that lets requests pass as the engine says. The handlers
// that it is put in front of share what it remembers.
func New(e *engine.Engine, options Options) func(http.Handler) http.Handler {
	f := &filter{
		Options:      options.complete(),
		engine:       e,
		schemaHeader: http.CanonicalHeaderKey(flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID),
		levelHeader:  http.CanonicalHeaderKey(flowcontrolv1.ResponseHeaderMatchedPriorityLevelConfigurationUID),
		refusals:     newRefusals(),
	}
	return func(handler http.Handler) http.Handler { return &governed{filter: f, handler: handler} }
}

type filter struct {
	Options
	engine                    *engine.Engine
	schemaHeader, levelHeader string // in canonical form
	refusals                  *refusals
}

// governed is a handler behind the filter.
type governed struct {
	*filter
	handler http.Handler
}

var _ http.Handler = (*governed)(nil)

// ServeHTTP implements http.Handler.
func (g *governed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	info, ok := apirequest.RequestInfoFrom(ctx)
	if !ok {
		fail(w, r, errors.New("the request has no RequestInfo: the filter that adds it must come before flow control"))
		return
	}
	requester, ok := apirequest.UserFrom(ctx)
	if !ok {
		fail(w, r, errors.New("the request has no user: authentication must come before flow control"))
		return
	}
	watch := info.Verb == "watch"
	if !watch && g.LongRunning(r, info) {
		g.handler.ServeHTTP(w, r)
		return
	}

	p := passage{filter: g.filter, ticket: g.engine.Begin(), request: r, info: info, logged: isLogged()}
	FillAttributes(&p.ticket.Attributes, info, requester)
	p.ticket.Classify()
	p.announce(w.Header())
	switch {
	case !p.admit():
		p.refuse(w)
	case watch:
		p.serveWatch(w, g.handler)
	default:
		p.serve(w, g.handler)
	}
}

// passage is one request on its way through the filter.
type passage struct {
	*filter
	ticket  *engine.Ticket
	request *http.Request
	info    *apirequest.RequestInfo
	logged  bool
}

// kind tells to which of the two kinds the request belongs.
func (p *passage) kind() stats.Kind {
	switch p.info.Verb {
	case "get", "list", "watch":
		return stats.ReadOnly
	default:
		return stats.Mutating
	}
}

// announce tells the client where the request was classified to. The names
// stay unsaid: a client need not know how its operators think of it.
func (p *passage) announce(header http.Header) {
	uids := [...]string{p.ticket.Schema().UID, p.ticket.Level().UID}
	header[p.schemaHeader] = uids[0:1:1]
	header[p.levelHeader] = uids[1:2:2]
	p.logClass()
}

// serve executes a request that has its seats.
func (p *passage) serve(w http.ResponseWriter, handler http.Handler) {
	p.Gauges.Executing(p.kind(), 1, p.ticket.Started())
	defer p.finish()
	handler.ServeHTTP(w, p.request)
}

// finish gives the seats back, and the ticket, and returns how long the request
// held them.
func (p *passage) finish() time.Duration {
	started := p.ticket.Started()
	executed := p.ticket.Finish()
	p.Gauges.Executing(p.kind(), -1, started+executed)
	p.log("apf_execution_time", executed)
	p.ticket.End()
	return executed
}

// fail answers a request that the handler chain has not prepared.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	klog.ErrorS(err, "Flow control cannot judge a request", "URI", r.RequestURI)
	http.Error(w, fmt.Sprintf("Internal Server Error: %q", r.RequestURI), http.StatusInternalServerError)
}
