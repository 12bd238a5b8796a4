package mixin

import "time"

// configuration are the rules about whether what is stored is in force.
func configuration() Group {
	return Group{
		Name: "flowcontrol-configuration",
		Alerts: []Alert{
			{
				Name: "FlowControlConfigurationNotInForce", Severity: Warning, For: 10 * time.Minute,
				Expression: `
apiserver_flowcontrol_configuration_objects{$flowcontrol,state!="enforced"} > 0
or
label_replace(label_replace(apiserver_flowcontrol_configuration_pending_changes{$flowcontrol} > 0, "kind", "change", "", ""), "state", "pending", "", "")`,
				Summary: "Stored flow control objects are not in force.",
				Description: "On {{ $labels.instance }} of job {{ $labels.job }}, {{ $value }} stored objects are not in force: {{ $labels.kind }}, {{ $labels.state }}. " +
					"The log of the server names invalid objects. `kubectl get flowschemas` shows dangling ones in the column MISSINGPL.",
			},
			{
				Name: "FlowControlReplicasDiffer", Severity: Warning, For: 10 * time.Minute, FitsKubeAPIServer: true,
				Expression: `
count by ($installation) (count by ($installation, hash) (apiserver_flowcontrol_configuration_info{$flowcontrol})) > 1
or
(
    max by ($installation, priority_level) (apiserver_flowcontrol_nominal_limit_seats{$flowcontrol})
  - min by ($installation, priority_level) (apiserver_flowcontrol_nominal_limit_seats{$flowcontrol})
  > 0
)
unless on ($installation) apiserver_flowcontrol_configuration_info{$flowcontrol}`,
				Summary: "Replicas enforce different flow control configurations.",
				Description: "The replicas of job {{ $labels.job }} do not enforce the same{{ with $labels.priority_level }} limit of priority level {{ . }}{{ else }} flow schemas and priority levels{{ end }}. " +
					"A client is treated differently by each replica. Compare apiserver_flowcontrol_configuration_info (of kube-apiserver, apiserver_flowcontrol_nominal_limit_seats) by instance, and restart the replica that is behind.",
			},
			{
				Name: "FlowControlKeepersFight", Severity: Warning, For: 5 * time.Minute,
				Expression: `sum by ($installation, kind, name) (increase(flowcontrol_apiserver_built_in_object_writes_total{$server}[$15m])) > $keeperwrites`,
				Summary:    "A built-in object is changed and restored again and again.",
				Description: "The keepers of job {{ $labels.job }} wrote {{ $labels.kind }} {{ $labels.name }} {{ $value | humanize }} times in 15 minutes. " +
					"Somebody reverts each write: a server of another release on the same store, or a client such as a GitOps controller. `kubectl get --show-managed-fields` names the writers.",
			},
		},
	}
}
