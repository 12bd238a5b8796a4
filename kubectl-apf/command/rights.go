package command

import (
	"fmt"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

// rights are the rules that a user needs. The help of a command lists them, and
// artifacts/kubectl-apf/clusterrole.yaml has the rights of all commands.
type rights []rbacv1.PolicyRule

// configurationRights read the objects of the group, the release of the server, which
// resources it has, and in its metrics how many seats.
func configurationRights() rights {
	return rights{
		{Verbs: []string{"list"}, APIGroups: []string{group}, Resources: []string{flowSchemas, priorityLevels}},
		{Verbs: []string{"get"}, NonResourceURLs: []string{"/version", "/api", "/api/*", "/apis", "/apis/*", "/metrics"}},
	}
}

// endpointRights find the replicas of the API server.
func endpointRights() rights {
	return rights{{Verbs: []string{"list"}, APIGroups: []string{"discovery.k8s.io"}, Resources: []string{"endpointslices"}}}
}

// metricRights find the replicas of the API server and read their metrics.
func metricRights() rights {
	return append(endpointRights(), rights{{Verbs: []string{"get"}, NonResourceURLs: []string{"/metrics"}}}...)
}

// replicaRights find the replicas and read all of their state.
func replicaRights() rights {
	return append(metricRights(), rights{{Verbs: []string{"get"}, NonResourceURLs: []string{"/debug/api_priority_and_fairness/*"}}}...)
}

// factRights read what lint knows of the rest of a cluster.
func factRights() rights {
	return rights{
		{Verbs: []string{"list"}, APIGroups: []string{""}, Resources: []string{"namespaces", "pods", "serviceaccounts"}},
		{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"pods", "services"}},
		{Verbs: []string{"list"}, APIGroups: []string{"apps"}, Resources: []string{"daemonsets"}},
		{Verbs: []string{"list"}, APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}},
		{Verbs: []string{"list"}, APIGroups: []string{"apiregistration.k8s.io"}, Resources: []string{"apiservices"}},
		{
			Verbs: []string{"list"}, APIGroups: []string{"admissionregistration.k8s.io"},
			Resources: []string{"mutatingwebhookconfigurations", "validatingwebhookconfigurations"},
		},
		{
			Verbs: []string{"list"}, APIGroups: []string{"admissionregistration.k8s.io"},
			Resources: []string{"validatingadmissionpolicies", "validatingadmissionpolicybindings"},
		},
	}
}

// text returns the rights as lines of a help.
func (r rights) text() string {
	var out strings.Builder
	for _, rule := range r {
		what := strings.Join(rule.NonResourceURLs, ", ")
		if len(rule.Resources) > 0 {
			what = strings.Join(rule.Resources, ", ")
			if rule.APIGroups[0] != "" {
				what += " (" + rule.APIGroups[0] + ")"
			}
		}
		fmt.Fprintf(&out, "\n  %-5s %s", strings.Join(rule.Verbs, ","), what)
	}
	return out.String()
}
