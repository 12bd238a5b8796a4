package metrics

import (
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
)

// addSeriesFamilies adds the families with the labels priority_level and flow_schema. Like
// k8s.io/apiserver, they omit empty histograms and zero counts of rejections: most schemas have none.
func addSeriesFamilies(c *Collector) (all families[stats.Snapshot]) {
	// add adds a family. m sends its metrics of s.
	add := func(name, help string, send func(s *stats.Snapshot, m member), more ...string) {
		desc := c.add(prefix+name, help, nil, append([]string{levelLabel, schemaLabel}, more...)...)
		all = append(all, func(s *stats.Snapshot, out *output) { send(s, member{out, desc, []string{s.Level, s.Schema}}) })
	}
	// The library's help does not tell what it counts as execute="true". Others would
	// expect time-outs elsewhere.
	const waitHelp = "Length of time a request spent waiting in its queue; execute is \"false\" if it was rejected on arrival, otherwise \"true\", also after a time-out, as in kube-apiserver"
	const seatsHelp = "Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem"
	add("rejected_requests_total", beta+"Number of requests rejected by API Priority and Fairness subsystem", func(s *stats.Snapshot, m member) {
		for reason, n := range s.Rejected {
			m.counterAbove0(n, stats.Reason(reason).String())
		}
	}, "reason")
	add("dispatched_requests_total", beta+"Number of requests executed by API Priority and Fairness subsystem", func(s *stats.Snapshot, m member) { m.counter(s.Dispatched) })
	add("current_inqueue_requests", beta+"Number of requests currently pending in queues of the API Priority and Fairness subsystem", func(s *stats.Snapshot, m member) { m.gauge(float64(s.InQueueRequests)) })
	add("current_inqueue_seats", alpha+"Number of seats currently pending in queues of the API Priority and Fairness subsystem", func(s *stats.Snapshot, m member) { m.gauge(float64(s.InQueueSeats)) })
	add("current_executing_requests", beta+"Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem", func(s *stats.Snapshot, m member) { m.gauge(float64(s.ExecutingRequests)) })
	add("current_executing_seats", beta+seatsHelp, func(s *stats.Snapshot, m member) { m.gauge(float64(s.ExecutingSeats)) })
	add("request_concurrency_in_use", alpha+seatsHelp, func(s *stats.Snapshot, m member) { m.gauge(float64(s.ExecutingSeats)) })
	add("request_wait_duration_seconds", beta+waitHelp, func(s *stats.Snapshot, m member) {
		m.histogram(&s.WaitAdmitted, "true")
		m.histogram(&s.WaitRejected, "false")
	}, "execute")
	add("request_execution_seconds", alpha+"Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution in the API Priority and Fairness subsystem", func(s *stats.Snapshot, m member) {
		m.histogram(&s.ExecutionRegular, "regular")
		m.histogram(&s.ExecutionWatch, "watch")
	}, "type")
	add("request_queue_length_after_enqueue", alpha+"Length of queue in the API Priority and Fairness subsystem, as seen by each request after it is enqueued", func(s *stats.Snapshot, m member) { m.histogram(&s.QueueLength) })
	add("watch_count_samples", alpha+"count of watchers for mutating requests in API Priority and Fairness", func(s *stats.Snapshot, m member) { m.histogram(&s.WatchCount) })
	add("work_estimated_seats", alpha+"Number of estimated seats (maximum of initial and final seats) associated with requests in API Priority and Fairness", func(s *stats.Snapshot, m member) { m.histogram(&s.EstimatedSeats) })
	add("request_dispatch_no_accommodation_total", alpha+"Number of times a dispatch attempt resulted in a non accommodation due to lack of available seats", func(s *stats.Snapshot, m member) { m.counterAbove0(s.NoAccommodation) })
	return all
}
