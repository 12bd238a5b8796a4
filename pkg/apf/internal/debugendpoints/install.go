package debugendpoints

import (
	"fmt"
	"net/http"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
)

const pathPrefix = "/debug/api_priority_and_fairness/"

// Source is the engine whose state is served. Levels are in the order of their names.
type Source interface {
	// Report returns the levels without queues and requests.
	Report() engine.Report
	// Dump returns the levels with queues and requests.
	Dump() []engine.LevelDump
	// TopFlows returns the heaviest flows, the heaviest of a level first.
	TopFlows() []engine.LevelFlows
	// Rejections returns the last rejections, the newest of a level first.
	Rejections() []engine.LevelRejections
	// Now returns the time of the engine's clock.
	Now() time.Duration
	// Wall converts a time of the engine's clock to calendar time.
	Wall(sinceOrigin time.Duration) time.Time
}

var _ Source = (*engine.Engine)(nil)

// Mux is where the endpoints are installed.
type Mux interface {
	UnlistedHandleFunc(path string, handler func(http.ResponseWriter, *http.Request))
}

// Install adds the endpoints to the mux. The history has the clock of the source.
func Install(mux Mux, source Source, history *estimate.History) {
	mux.UnlistedHandleFunc(pathPrefix+"dump_priority_levels", func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, levelRows(source.Report().Levels))
	})
	mux.UnlistedHandleFunc(pathPrefix+"dump_queues", func(w http.ResponseWriter, r *http.Request) {
		rows, leftOut := queueRows(source.Dump())
		if leftOut > 0 {
			warn(w, fmt.Sprintf("%d queues without requests are left out", leftOut))
		}
		respond(w, r, rows)
	})
	mux.UnlistedHandleFunc(pathPrefix+"dump_requests", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("includeRequestDetails") != "" {
			respond(w, r, requestRows(source, newDetailedRow))
			return
		}
		respond(w, r, requestRows(source, newRequestRow))
	})
	mux.UnlistedHandleFunc(pathPrefix+"top_flows", func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, flowRows(source.TopFlows()))
	})
	mux.UnlistedHandleFunc(pathPrefix+"rejections", func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, rejectionRows(source))
	})
	mux.UnlistedHandleFunc(pathPrefix+"list_costs", func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, listCostRows(history.Report(source.Now())))
	})
}
