package mixin

import "time"

// checks of the kube-apiserver in front; requests succeed without them.
const optionalChecks = `delegated-tokens|mutating-policies|clock`

// kubeAPIServer are the rules about the kube-apiserver in front of this server. A server
// that runs alone has none of these series.
func kubeAPIServer() Group {
	const late = `time() - flowcontrol_apiserver_upstream_check_last_success_timestamp_seconds`
	return Group{
		Name: "flowcontrol-kube-apiserver",
		Alerts: []Alert{
			{
				Name: "FlowControlUpstreamUnavailable", Severity: Critical, For: time.Minute,
				Expression: late + `{$server,check!~"` + optionalChecks + `"} > $age`,
				Summary:    "This server depends on a kube-apiserver that does not answer as it must.",
				Description: "On {{ $labels.instance }} of job {{ $labels.job }} the check {{ $labels.check }} has not passed for {{ $value | humanizeDuration }}. " +
					"Requests whose user or permission is not cached are rejected. `/readyz?verbose` of the replica says what is missing.",
			},
			{
				Name: "FlowControlUpstreamDegraded", Severity: Warning, For: 5 * time.Minute,
				Expression: late + `{$server,check=~"` + optionalChecks + `"} > $age`,
				Summary:    "The kube-apiserver in front does not review tokens, or the clocks differ.",
				Description: "On {{ $labels.instance }} of job {{ $labels.job }} the check {{ $labels.check }} has not passed for {{ $value | humanizeDuration }}. " +
					"`/readyz?verbose` of the replica says what is missing.",
			},
			{
				Name: "FlowControlReviewsFail", Severity: Warning, For: 5 * time.Minute,
				Expression: reviews(`
sum without (code) (rate(apiserver_delegated_$review_request_total{$server,code!~"2.."}[$5m]))
/ sum without (code) (rate(apiserver_delegated_$review_request_total{$server}[$5m]))
> 0.05`),
				Summary: "kube-apiserver fails reviews of tokens or permissions.",
				Description: "On {{ $labels.instance }} of job {{ $labels.job }}, {{ $value | humanizePercentage }} of the {{ $labels.review }} reviews fail. " +
					"The requests that need them are rejected. apiserver_delegated_authn_request_total and apiserver_delegated_authz_request_total have the codes.",
			},
			{
				Name: "FlowControlReviewsSlow", Severity: Warning, For: 10 * time.Minute,
				Expression: reviews(`histogram_quantile(0.99, sum without (code) (rate(apiserver_delegated_$review_request_duration_seconds_bucket{$server}[$5m]))) > 1`),
				Summary:    "kube-apiserver reviews tokens or permissions slowly.",
				Description: "On {{ $labels.instance }} of job {{ $labels.job }}, one of 100 {{ $labels.review }} reviews takes {{ $value | humanizeDuration }} or longer. " +
					"Check that artifacts/flowschemas is applied to kube-apiserver, and whether it is overloaded.",
			},
			{
				Name: "FlowControlWebhookFails", Severity: Warning, For: 5 * time.Minute,
				Expression: `
sum without (operation, error_type, rejection_code) (increase(apiserver_admission_webhook_rejection_count{$server,error_type!="no_error"}[$30m])) > 0
or
increase(apiserver_admission_webhook_fail_open_count{$server}[$30m]) > 0`,
				Summary: "An admission webhook cannot be called.",
				Description: "On {{ $labels.instance }} of job {{ $labels.job }} the admission webhook {{ $labels.name }} failed {{ $value | humanize }} times in 30 minutes. " +
					"Writes of FlowSchemas and PriorityLevelConfigurations are rejected, or admitted without it, by its failurePolicy. Check the webhook's Service, or exclude this API group from its rules.",
			},
		},
	}
}
