package mixin

// Query is one expression of a panel, with the legend of its series.
type Query struct {
	// Expression may contain the variables of the dashboard: $job, $instance and
	// $priority_level, regular expressions, and $__rate_interval.
	Expression, Legend string
}

// Unit is a unit of Grafana.
type Unit string

// The units of the panels.
const (
	Percent Unit = "percentunit" // from 0 to 1
	Seconds Unit = "s"
	Rate    Unit = "reqps"
	Bytes   Unit = "bytes"
	Number  Unit = "short"
)

// Panel is a chart over time.
type Panel struct {
	Title string
	// Description says what the chart is for and what is normal.
	Description string
	Unit        Unit
	Queries     []Query
}

// Row is a question of an administrator, and the panels that answer it.
type Row struct {
	Title  string
	Panels []Panel
}

// Rows returns the dashboard.
func Rows() []Row {
	return []Row{starvedRow(), dividedRow(), inForceRow(), etcdRow(), kubeAPIServerRow(), processRow()}
}

const (
	onServer = `{job=~"$job",instance=~"$instance"}`
	onLevel  = `{job=~"$job",instance=~"$instance",priority_level=~"$priority_level"}`
)

func starvedRow() Row {
	return Row{Title: "Does anybody wait, and for what?", Panels: []Panel{
		{"Seats in use", "Mean part of the seats of each level that is in use. Near 100 %, further requests wait or are rejected.", Percent, []Query{{
			`max by (priority_level) (sum without (phase) (rate(apiserver_flowcontrol_priority_level_seat_utilization_sum` + onLevel + `[$__rate_interval])) / sum without (phase) (rate(apiserver_flowcontrol_priority_level_seat_utilization_count` + onLevel + `[$__rate_interval])))`,
			"{{priority_level}}",
		}}},
		{"Requests that wait", "Requests in the queues of each level, of all replicas. A level without queues rejects instead.", Number, []Query{{
			`sum by (priority_level) (apiserver_flowcontrol_current_inqueue_requests` + onLevel + `)`, "{{priority_level}}",
		}}},
		{"Wait in queues, 99th percentile", "How long requests that execute waited for a seat.", Seconds, []Query{{
			`histogram_quantile(0.99, sum by (priority_level, le) (rate(apiserver_flowcontrol_request_wait_duration_seconds_bucket{job=~"$job",instance=~"$instance",priority_level=~"$priority_level",execute="true"}[$__rate_interval])))`, "{{priority_level}}",
		}}},
		{"Rejections by reason", "queue-full and concurrency-limit: too many requests. time-out: the wait was too long. cancelled: the client left while it waited.", Rate, []Query{{
			`sum by (flow_schema, reason) (rate(apiserver_flowcontrol_rejected_requests_total` + onLevel + `[$__rate_interval]))`, "{{flow_schema}} {{reason}}",
		}}},
		{"Requests by flow schema", "Requests that got a seat. A flow schema that matches more than it should shows here.", Rate, []Query{{
			`sum by (flow_schema) (rate(apiserver_flowcontrol_dispatched_requests_total` + onLevel + `[$__rate_interval]))`, "{{flow_schema}}",
		}}},
		{"Part of the heaviest flow", "Part of the seat-seconds of the last minute on each level that one flow used. Near 100 % beside rejections of others, that flow takes what they need.", Percent, []Query{{
			`max by (priority_level) (apf_heaviest_flow_seat_share` + onLevel + `)`, "{{priority_level}}",
		}}},
	}}
}

func dividedRow() Row {
	return Row{Title: "Are there enough seats, and are they divided well?", Panels: []Panel{
		{"Total of seats", "The total in force, and the total that the machine can bear. The latter moves on to a bound while it is far off.", Number, []Query{
			{`apiserver_flowcontrol_total_seats` + onServer, "{{instance}} in force"},
			{`apiserver_flowcontrol_recommended_total_seats` + onServer, "{{instance}} recommended"},
		}},
		{"Pressure on the machine", "Signals relative to the threshold that lowers the recommended total: at 1 the machine is short.", Number, []Query{{
			`apiserver_flowcontrol_machine_pressure_ratio` + onServer, "{{instance}} {{signal}}",
		}}},
		{"Borrowed seats", "Current limit less nominal limit. Positive: the level borrows; negative: it lends.", Number, []Query{{
			`sum by (priority_level) (apiserver_flowcontrol_current_limit_seats` + onLevel + ` - apiserver_flowcontrol_nominal_limit_seats` + onLevel + `)`, "{{priority_level}}",
		}}},
		{"Demand for seats, of the nominal limit", "Smoothed demand of each level. Above 100 % for hours, the level needs more shares.", Percent, []Query{{
			`max by (priority_level) (apiserver_flowcontrol_demand_seats_smoothed` + onLevel + ` / (apiserver_flowcontrol_nominal_limit_seats` + onLevel + ` > 0))`, "{{priority_level}}",
		}}},
	}}
}

func inForceRow() Row {
	return Row{Title: "Is the stored configuration in force, on every replica?", Panels: []Panel{
		{"Stored objects not in force", "Dangling flow schemas name a level that does not exist. Invalid objects are ignored, as if they did not exist.", Number, []Query{
			{`max by (kind, state) (apiserver_flowcontrol_configuration_objects{job=~"$job",instance=~"$instance",state!="enforced"})`, "{{kind}} {{state}}"},
			{`max by (instance) (apiserver_flowcontrol_configuration_pending_changes` + onServer + `)`, "{{instance}} changes pending"},
		}},
		{"Different configurations in force", "Number of configurations that the replicas enforce. It is 1, and more for seconds after a change.", Number, []Query{{
			`count by (job) (count by (job, hash) (apiserver_flowcontrol_configuration_info` + onServer + `))`, "{{job}}",
		}}},
		{"Age of the configuration", "Time since a configuration was put into force.", Seconds, []Query{{
			`time() - apiserver_flowcontrol_configuration_last_applied_timestamp_seconds` + onServer, "{{instance}}",
		}}},
		{"Writes of the keeper", "Writes of built-in objects in an hour. After a start there are none, unless somebody reverts them.", Number, []Query{{
			`sum by (operation) (increase(flowcontrol_apiserver_built_in_object_writes_total` + onServer + `[1h]))`, "{{operation}}",
		}}},
	}}
}

func etcdRow() Row {
	return Row{Title: "Is etcd well?", Panels: []Panel{
		{"etcd answers", "1 if a read that requires a quorum succeeds. At 0, reads are served from the cache, and nothing can be written.", Number, []Query{{
			`flowcontrol_apiserver_etcd_available` + onServer, "{{instance}}",
		}}},
		{"etcd latency, 99th percentile", "Time of requests to etcd. Writes hold their seats as long.", Seconds, []Query{{
			`histogram_quantile(0.99, sum by (operation, le) (rate(etcd_request_duration_seconds_bucket` + onServer + `[$__rate_interval])))`, "{{operation}}",
		}}},
		{"Size of the database", "As allocated on the disk. At its quota etcd rejects writes.", Bytes, []Query{{
			`apiserver_storage_size_bytes` + onServer, "{{instance}}",
		}}},
		{"Part of etcd's quota", "Of members that are scraped as the job flowcontrol-etcd, or of the embedded etcd. Otherwise a quota of 2 GiB is assumed.", Percent, []Query{{
			`etcd_mvcc_db_total_size_in_bytes{job="flowcontrol-etcd"} / (etcd_server_quota_backend_bytes{job="flowcontrol-etcd"} > 0)` +
				` or flowcontrol_apiserver_embedded_etcd_database_size_bytes` + onServer + ` / flowcontrol_apiserver_embedded_etcd_quota_bytes` + onServer +
				` or apiserver_storage_size_bytes` + onServer + ` / 2147483648`, "{{instance}}",
		}}},
		{"Embedded etcd full", "1 while writes are rejected, because the database has reached its quota. 0 with an external etcd.", Number, []Query{{
			`flowcontrol_apiserver_embedded_etcd_no_space` + onServer + ` or 0 * flowcontrol_apiserver_etcd_available` + onServer, "{{instance}}",
		}}},
		{"Failed snapshots and renewals", "Scheduled snapshots of the embedded etcd, and renewals of certificates, that failed in an hour.", Number, []Query{
			{`increase(flowcontrol_apiserver_embedded_etcd_snapshots_total{job=~"$job",instance=~"$instance",result="failure"}[1h]) or 0 * flowcontrol_apiserver_etcd_available` + onServer, "{{instance}} snapshots"},
			{`sum by (instance) (increase(flowcontrol_apiserver_certificate_renewals_total{job=~"$job",instance=~"$instance",result="error"}[1h])) or 0 * sum by (instance) (flowcontrol_apiserver_etcd_available` + onServer + `)`, "{{instance}} renewals"},
		}},
		{"Stored objects", "Objects by resource.", Number, []Query{{
			`max by (resource) (apiserver_storage_objects{job=~"$job",instance=~"$instance",resource=~".*flowcontrol.*"})`, "{{resource}}",
		}}},
	}}
}

func kubeAPIServerRow() Row {
	return Row{Title: "Do certificates hold, and does kube-apiserver answer?", Panels: []Panel{
		{"Time until certificates expire", "They are renewed long before. A line that falls below 14 days means that renewal does not work.", Seconds, []Query{{
			`flowcontrol_apiserver_certificate_expiration_timestamp_seconds` + onServer + ` - time()`, "{{instance}} {{certificate}}",
		}}},
		{"Age of the checks of kube-apiserver", "Time since each passed. They run every 10 seconds. A server that runs alone has none.", Seconds, []Query{{
			`time() - flowcontrol_apiserver_upstream_check_last_success_timestamp_seconds` + onServer, "{{instance}} {{check}}",
		}}},
		{"Reviews by code", "Reviews of tokens and of permissions that this server asked of kube-apiserver.", Rate, []Query{
			{`sum by (code) (rate(apiserver_delegated_authn_request_total` + onServer + `[$__rate_interval]))`, "token {{code}}"},
			{`sum by (code) (rate(apiserver_delegated_authz_request_total` + onServer + `[$__rate_interval]))`, "access {{code}}"},
		}},
		{"Reviews, 99th percentile", "Requests whose user or permission is not cached wait as long.", Seconds, []Query{
			{`histogram_quantile(0.99, sum by (le) (rate(apiserver_delegated_authn_request_duration_seconds_bucket` + onServer + `[$__rate_interval])))`, "token"},
			{`histogram_quantile(0.99, sum by (le) (rate(apiserver_delegated_authz_request_duration_seconds_bucket` + onServer + `[$__rate_interval])))`, "access"},
		}},
		{"Admission webhooks, 99th percentile", "Writes wait for the webhooks of the cluster.", Seconds, []Query{{
			`histogram_quantile(0.99, sum by (name, le) (rate(apiserver_admission_webhook_admission_duration_seconds_bucket` + onServer + `[$__rate_interval])))`, "{{name}}",
		}}},
		{"Admission webhooks that fail", "Calls that failed: the write was rejected, or admitted without the webhook (fail open).", Rate, []Query{
			{`sum by (name, error_type) (rate(apiserver_admission_webhook_rejection_count` + onServer + `[$__rate_interval]))`, "{{name}} {{error_type}}"},
			{`sum by (name) (rate(apiserver_admission_webhook_fail_open_count` + onServer + `[$__rate_interval]))`, "{{name}} fail open"},
		}},
	}}
}

func processRow() Row {
	return Row{Title: "Are the replicas up, and what do they use?", Panels: []Panel{
		{"Replicas up", "Replicas that Prometheus reaches.", Number, []Query{{`sum by (job) (up` + onServer + `)`, "{{job}}"}}},
		{"Requests by code", "429 is a rejection by flow control.", Rate, []Query{{
			`sum by (code) (rate(apiserver_request_total` + onServer + `[$__rate_interval]))`, "{{code}}",
		}}},
		{"Latency of requests, 99th percentile", "Without watches, and without the wait in queues and for webhooks.", Seconds, []Query{{
			`histogram_quantile(0.99, sum by (verb, le) (rate(apiserver_request_sli_duration_seconds_bucket{job=~"$job",instance=~"$instance",verb!="WATCH"}[$__rate_interval])))`, "{{verb}}",
		}}},
		{"Memory", "Resident memory of each replica.", Bytes, []Query{{`process_resident_memory_bytes` + onServer, "{{instance}}"}}},
		{"Processors", "Processor seconds per second of each replica.", Number, []Query{{
			`rate(process_cpu_seconds_total` + onServer + `[$__rate_interval])`, "{{instance}}",
		}}},
	}}
}
