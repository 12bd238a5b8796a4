package mixin

import "time"

// The recorded series.
const (
	utilization  = "priority_level:apiserver_flowcontrol_seat_utilization:mean5m"
	waiting      = "priority_level:apiserver_flowcontrol_current_inqueue_requests:mean5m"
	waitP99      = "priority_level:apiserver_flowcontrol_request_wait_duration_seconds:p99_5m"
	rejected5m   = "flow_schema_reason:apiserver_flowcontrol_rejected_requests:ratio_rate5m"
	rejected1h   = "flow_schema_reason:apiserver_flowcontrol_rejected_requests:ratio_rate1h"
	rejectedRate = "priority_level:apiserver_flowcontrol_rejected_requests:rate5m"
)

// rejectedRatio returns the part of the requests of a flow schema that is rejected, for each
// reason. A schema whose requests are all rejected has no dispatched ones.
func rejectedRatio(window string) string {
	const rejections = "sum without (reason) (rate(apiserver_flowcontrol_rejected_requests_total{$flowcontrol}[$w]))"
	return `rate(apiserver_flowcontrol_rejected_requests_total{$flowcontrol}[` + window + `])
  / ignoring (reason) group_left ()
    (
        ` + replaceWindow(rejections, window) + `
      + rate(apiserver_flowcontrol_dispatched_requests_total{$flowcontrol}[` + window + `])
    or
        ` + replaceWindow(rejections, window) + `
    )`
}

// levels are the rules about seats of priority levels and what requests get of them. All but the
// rules of the total also fit kube-apiserver.
func levels() Group {
	return Group{
		Name: "flowcontrol-levels",
		// Only waits of requests that executed: most rejections take no time, and would hide the
		// others.
		Records: []Record{
			{utilization, `
sum without (phase) (rate(apiserver_flowcontrol_priority_level_seat_utilization_sum{$flowcontrol,phase="executing"}[$5m]))
/ sum without (phase) (rate(apiserver_flowcontrol_priority_level_seat_utilization_count{$flowcontrol,phase="executing"}[$5m]))`},
			{waiting, `sum without (flow_schema) (avg_over_time(apiserver_flowcontrol_current_inqueue_requests{$flowcontrol}[$5m]))`},
			{waitP99, `histogram_quantile(0.99, sum without (flow_schema, execute) (rate(apiserver_flowcontrol_request_wait_duration_seconds_bucket{$flowcontrol,execute="true"}[$5m])))`},
			{rejectedRate, `sum without (flow_schema, reason) (rate(apiserver_flowcontrol_rejected_requests_total{$flowcontrol}[$5m]))`},
			{rejected5m, rejectedRatio("$5m")},
			{rejected1h, rejectedRatio("$1h")},
		},
		Alerts: append(seatAlerts(), totalAlerts()...),
	}
}

func seatAlerts() []Alert {
	return []Alert{
		{
			Name: "FlowControlLevelStarved", Severity: Warning, For: 10 * time.Minute, FitsKubeAPIServer: true,
			Expression: `
` + utilization + `{$flowcontrol} > 0.95
and
(` + waiting + `{$flowcontrol} >= 1 or ` + rejectedRate + `{$flowcontrol} > 0)`,
			Summary: "Requests of a priority level wait or are rejected while all its seats are in use.",
			Description: "On {{ $labels.instance }} of job {{ $labels.job }}, {{ $value | humanizePercentage }} of the seats of priority level {{ $labels.priority_level }} are in use, " +
				"and more requests wait or are rejected. Find the flow that uses the seats with `kubectl apf top`, then limit it or give the level more shares.",
		},
		{
			Name: "FlowControlRequestsRejected", Severity: Warning, For: 5 * time.Minute, FitsKubeAPIServer: true,
			Expression: rejected5m + `{$flowcontrol} > 0.05 and ` + rejected1h + `{$flowcontrol} > 0.05`,
			Summary:    "Flow control rejects many requests of a flow schema.",
			Description: "On {{ $labels.instance }} of job {{ $labels.job }}, {{ $value | humanizePercentage }} of the requests of flow schema {{ $labels.flow_schema }} " +
				"are rejected by priority level {{ $labels.priority_level }}, reason {{ $labels.reason }}. `kubectl apf why --flow-schema {{ $labels.flow_schema }}` explains the rejections.",
		},
		{
			Name: "FlowControlQueueWaitLong", Severity: Warning, For: 10 * time.Minute, FitsKubeAPIServer: true,
			Expression: waitP99 + `{$flowcontrol} > 1`,
			Summary:    "Requests wait long in the queues of a priority level.",
			Description: "On {{ $labels.instance }} of job {{ $labels.job }}, one of 100 requests of priority level {{ $labels.priority_level }} waits {{ $value | humanizeDuration }} or longer for a seat. " +
				"A request that waits for a quarter of its timeout is rejected.",
		},
		{
			Name: "FlowControlSeatsBorrowedForHours", Severity: Info, For: 3 * time.Hour, FitsKubeAPIServer: true,
			Expression: `
apiserver_flowcontrol_demand_seats_smoothed{$flowcontrol,priority_level!="exempt"} > apiserver_flowcontrol_nominal_limit_seats
and
apiserver_flowcontrol_current_limit_seats{$flowcontrol} > apiserver_flowcontrol_nominal_limit_seats`,
			Summary: "A priority level has depended on borrowed seats for hours.",
			Description: "On {{ $labels.instance }} of job {{ $labels.job }}, priority level {{ $labels.priority_level }} needs {{ $value | humanize }} seats, more than its nominal limit. " +
				"It borrows them, and loses them when the levels that lend need them. Give it the shares that it needs.",
		},
	}
}

func totalAlerts() []Alert {
	return []Alert{
		{
			Name: "FlowControlTotalTooSmall", Severity: Warning, For: 30 * time.Minute,
			Expression: `apiserver_flowcontrol_recommended_total_seats{$flowcontrol} > 1.1 * apiserver_flowcontrol_total_seats{$flowcontrol}`,
			Summary:    "The server has fewer seats than its machine can bear, and requests need more.",
			Description: "On {{ $labels.instance }} of job {{ $labels.job }} the recommended total is {{ $value }} seats, at least a tenth above the total in force. " +
				"Raise --max-requests-inflight, or set --flow-control-total=adaptive.",
		},
		{
			Name: "FlowControlTotalTooLarge", Severity: Warning, For: 15 * time.Minute,
			Expression: `apiserver_flowcontrol_recommended_total_seats{$flowcontrol} < 0.9 * apiserver_flowcontrol_total_seats{$flowcontrol}`,
			Summary:    "The server admits more requests at once than its machine can bear.",
			Description: "On {{ $labels.instance }} of job {{ $labels.job }} the recommended total is {{ $value }} seats, at least a tenth below the total in force. " +
				"apiserver_flowcontrol_machine_pressure_ratio shows whether processors or memory are short. Give the server more of it, lower --max-requests-inflight, or set --flow-control-total=adaptive.",
		},
	}
}
