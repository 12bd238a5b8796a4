package mixin

import "time"

// availability are the rules about the processes and their certificates.
func availability() Group {
	const left = `flowcontrol_apiserver_certificate_expiration_timestamp_seconds{$server} - time()`
	return Group{
		Name: "flowcontrol-availability",
		Alerts: []Alert{
			{
				Name: "FlowControlServerDown", Severity: Critical, For: 2 * time.Minute,
				Expression: `absent(up{$server} == 1)`,
				Summary:    "No replica of flowcontrol-apiserver can be scraped.",
				Description: "Prometheus reaches no replica of job {{ $labels.job }}. While all are down, kube-apiserver answers requests for FlowSchemas and PriorityLevelConfigurations of the registered versions with 503, " +
					"and namespaces cannot be deleted. Check the pods and their logs.",
			},
			{
				Name: "FlowControlReplicaDown", Severity: Warning, For: 10 * time.Minute,
				Expression: `up{$server} == 0`,
				Summary:    "A replica of flowcontrol-apiserver cannot be scraped.",
				Description: "Prometheus does not reach {{ $labels.instance }} of job {{ $labels.job }}. Check the pod, and whether the CA, the token and the permissions of the scrape are valid: " +
					"the page Targets of Prometheus shows the error.",
			},
			{
				Name: "FlowControlCertificateRenewalFails", Severity: Warning, For: 5 * time.Minute,
				Expression: `increase(flowcontrol_apiserver_certificate_renewals_total{$server,result="error"}[$1h]) > 0`,
				Summary:    "A certificate of flowcontrol-apiserver cannot be renewed.",
				Description: "{{ $labels.instance }} of job {{ $labels.job }} failed to renew the certificate {{ $labels.certificate }} in the last hour. It serves with the old one until that expires. " +
					"The log of the server names the file and what to do.",
			},
			{
				Name: "FlowControlCertificateExpiring", Severity: Warning, For: time.Hour,
				Expression: left + ` < 14 * 86400`,
				Summary:    "A certificate of flowcontrol-apiserver expires within 14 days and has not been renewed.",
				Description: "On {{ $labels.instance }} of job {{ $labels.job }} the certificate {{ $labels.certificate }} expires in {{ $value | humanizeDuration }}. " +
					"It should have been renewed. Renew it now, and find out why that did not happen by itself.",
			},
			{
				Name: "FlowControlCertificateExpiresToday", Severity: Critical, For: 5 * time.Minute,
				Expression: left + ` < 86400`,
				Summary:    "A certificate of flowcontrol-apiserver expires within a day.",
				Description: "On {{ $labels.instance }} of job {{ $labels.job }} the certificate {{ $labels.certificate }} expires in {{ $value | humanizeDuration }}. " +
					"From then on clients reject the server, or the server is rejected. Renew it now.",
			},
		},
	}
}
