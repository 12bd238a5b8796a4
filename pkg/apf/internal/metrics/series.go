package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
)

// seriesFamilies are the families with the labels priority_level and flow_schema.
type seriesFamilies struct {
	rejected, dispatched               *prometheus.Desc
	inQueueRequests, inQueueSeats      *prometheus.Desc
	executingRequests, executingSeats  *prometheus.Desc
	concurrencyInUse                   *prometheus.Desc
	waitDuration, executionDuration    *prometheus.Desc
	queueLength, watchCount, workSeats *prometheus.Desc
	noAccommodation                    *prometheus.Desc
}

func newSeriesFamilies(f *families) seriesFamilies {
	add := func(name, help string, more ...string) *prometheus.Desc {
		return f.add(prefix+name, help, nil, append([]string{levelLabel, schemaLabel}, more...)...)
	}
	// The library's help does not tell what it counts as execute="true". Others would
	// expect time-outs elsewhere.
	const waitHelp = "Length of time a request spent waiting in its queue; execute is \"false\" if it was rejected on arrival, otherwise \"true\", also after a time-out, as in kube-apiserver"
	const seatsHelp = "Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem"
	return seriesFamilies{
		rejected:          add("rejected_requests_total", beta+"Number of requests rejected by API Priority and Fairness subsystem", "reason"),
		dispatched:        add("dispatched_requests_total", beta+"Number of requests executed by API Priority and Fairness subsystem"),
		inQueueRequests:   add("current_inqueue_requests", beta+"Number of requests currently pending in queues of the API Priority and Fairness subsystem"),
		inQueueSeats:      add("current_inqueue_seats", alpha+"Number of seats currently pending in queues of the API Priority and Fairness subsystem"),
		executingRequests: add("current_executing_requests", beta+"Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem"),
		executingSeats:    add("current_executing_seats", beta+seatsHelp),
		concurrencyInUse:  add("request_concurrency_in_use", alpha+seatsHelp),
		waitDuration:      add("request_wait_duration_seconds", beta+waitHelp, "execute"),
		executionDuration: add("request_execution_seconds", alpha+"Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution in the API Priority and Fairness subsystem", "type"),
		queueLength:       add("request_queue_length_after_enqueue", alpha+"Length of queue in the API Priority and Fairness subsystem, as seen by each request after it is enqueued"),
		watchCount:        add("watch_count_samples", alpha+"count of watchers for mutating requests in API Priority and Fairness"),
		workSeats:         add("work_estimated_seats", alpha+"Number of estimated seats (maximum of initial and final seats) associated with requests in API Priority and Fairness"),
		noAccommodation:   add("request_dispatch_no_accommodation_total", alpha+"Number of times a dispatch attempt resulted in a non accommodation due to lack of available seats"),
	}
}

// collect sends one series. Like k8s.io/apiserver, it omits empty histograms and zero
// counts of rejections: most schemas have none.
func (f *seriesFamilies) collect(s *stats.Snapshot, out *output) {
	labels := []string{s.Level, s.Schema}
	with := func(value string) []string { return []string{s.Level, s.Schema, value} }
	for reason, n := range s.Rejected {
		if n > 0 {
			out.counter(f.rejected, n, with(stats.Reason(reason).String())...)
		}
	}
	out.counter(f.dispatched, s.Dispatched, labels...)
	out.gauge(f.inQueueRequests, float64(s.InQueueRequests), labels...)
	out.gauge(f.inQueueSeats, float64(s.InQueueSeats), labels...)
	out.gauge(f.executingRequests, float64(s.ExecutingRequests), labels...)
	out.gauge(f.executingSeats, float64(s.ExecutingSeats), labels...)
	out.gauge(f.concurrencyInUse, float64(s.ExecutingSeats), labels...)
	out.histogram(f.waitDuration, &s.WaitAdmitted, with("true")...)
	out.histogram(f.waitDuration, &s.WaitRejected, with("false")...)
	out.histogram(f.executionDuration, &s.ExecutionRegular, with("regular")...)
	out.histogram(f.executionDuration, &s.ExecutionWatch, with("watch")...)
	out.histogram(f.queueLength, &s.QueueLength, labels...)
	out.histogram(f.watchCount, &s.WatchCount, labels...)
	out.histogram(f.workSeats, &s.EstimatedSeats, labels...)
	if s.NoAccommodation > 0 {
		out.counter(f.noAccommodation, s.NoAccommodation, labels...)
	}
}
