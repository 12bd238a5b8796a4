package mixin

import "time"

// large compares databases with their quotas: of the members of an etcd that is scraped, of
// embedded ones, and otherwise the size that the server learns from etcd with the parameter.
// A member without a limit has the quota 0.
const large = `
etcd_mvcc_db_total_size_in_bytes{$etcd} > 0.8 * (etcd_server_quota_backend_bytes{$etcd} > 0)
or
flowcontrol_apiserver_embedded_etcd_database_size_bytes{$server} > 0.8 * flowcontrol_apiserver_embedded_etcd_quota_bytes{$server}
or
(
  apiserver_storage_size_bytes{$server} > 0.8 * $quota
  unless on (cluster) etcd_server_quota_backend_bytes{$etcd}
  unless on (cluster, namespace, job, instance) flowcontrol_apiserver_embedded_etcd_quota_bytes{$server}
)`

// etcd are the rules about the store, as the server sees it and as its members do.
func etcd() Group {
	return Group{
		Name: "flowcontrol-etcd",
		Alerts: []Alert{
			{
				Name: "FlowControlEtcdFull", Severity: Critical, For: 2 * time.Minute,
				Expression: `flowcontrol_apiserver_embedded_etcd_no_space{$server} == 1`,
				Summary:    "The embedded etcd has reached its quota and rejects writes.",
				Description: "The embedded etcd of {{ $labels.instance }} of job {{ $labels.job }} rejects writes, because its database has reached its quota, and the space that was freed was not enough. " +
					"Delete objects, which is possible all the time, or restart the server with a larger --etcd-quota-backend-bytes.",
			},
			{
				Name: "FlowControlSnapshotsFail", Severity: Warning, For: 5 * time.Minute,
				Expression: `increase(flowcontrol_apiserver_embedded_etcd_snapshots_total{$server,result="failure"}[$1h]) > 0`,
				Summary:    "Scheduled snapshots of the embedded etcd fail.",
				Description: "A snapshot of the embedded etcd of {{ $labels.instance }} of job {{ $labels.job }} failed in the last hour. The last good ones are kept. " +
					"Check the space in --etcd-snapshot-dir and who may write there; the log of the server says what failed.",
			},
			{
				Name: "FlowControlEtcdUnavailable", Severity: Critical, For: 2 * time.Minute,
				Expression: `flowcontrol_apiserver_etcd_available{$server} == 0`,
				Summary:    "etcd is unavailable: stopped, unreachable, or without a quorum.",
				Description: "{{ $labels.instance }} of job {{ $labels.job }} gets no answer from etcd that a quorum of its members agrees on. Objects can be read from its cache until it restarts, and none can be written. " +
					"Check that a majority of the members of etcd runs and is reached.",
			},
			{
				Name: "FlowControlEtcdSlow", Severity: Warning, For: 10 * time.Minute,
				Expression: `histogram_quantile(0.99, sum without (operation, type) (rate(etcd_request_duration_seconds_bucket{$server}[$5m]))) > 0.5`,
				Summary:    "etcd responds slowly.",
				Description: "One of 100 requests of {{ $labels.instance }} of job {{ $labels.job }} to etcd takes {{ $value | humanizeDuration }} or longer. " +
					"Check the disks of etcd and the network to it. Writes keep their seats as long.",
			},
			{
				Name: "FlowControlEtcdMemberDown", Severity: Warning, For: 10 * time.Minute,
				Expression: `up{$etcd} == 0`,
				Summary:    "A member of etcd cannot be scraped.",
				Description: "Prometheus does not reach {{ $labels.instance }} of job {{ $labels.job }}. Of three members two serve on; without one more, none does. " +
					"Check its pod, its log and its volume.",
			},
			{
				Name: "FlowControlEtcdLarge", Severity: Warning, For: 10 * time.Minute,
				Expression: large,
				Summary:    "The database of etcd is near its quota.",
				Description: "The database of the etcd at or of {{ $labels.instance }} of job {{ $labels.job }} has {{ $value | humanize1024 }}B, more than 80 % of its quota. " +
					"At the quota etcd rejects all writes. Compact and defragment it, or raise the quota.",
			},
		},
	}
}
