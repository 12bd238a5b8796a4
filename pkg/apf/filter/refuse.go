package filter

import (
	"net/http"
	"strconv"

	epmetrics "k8s.io/apiserver/pkg/endpoints/metrics"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
)

// refuse answers a request that gets no seats.
func (p *passage) refuse(w http.ResponseWriter) {
	after := p.refusals.add(p.ticket.Level().Name, p.engine.Now())
	p.ticket.End()
	epmetrics.RecordDroppedRequest(p.request, p.info, epmetrics.APIServerComponent, p.kind() == stats.Mutating)
	epmetrics.RecordRequestTermination(p.request, p.info, epmetrics.APIServerComponent, http.StatusTooManyRequests)
	w.Header().Set("Retry-After", strconv.Itoa(after))
	http.Error(w, "The server has too many requests of this kind, please try again later.", http.StatusTooManyRequests)
}
