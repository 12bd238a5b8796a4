package findings

import (
	"maps"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// facts returns what is known of the cluster if the files were applied to it.
func (in *Input) facts() lint.Facts {
	facts, files := &in.Facts, &in.Files
	out := lint.Facts{ServedVersions: facts.ServedVersions}
	if facts.Namespaces != nil {
		out.Namespaces = slices.Concat(facts.Namespaces, files.Namespaces)
	}
	if facts.ServiceAccounts != nil {
		out.ServiceAccounts = maps.Clone(facts.ServiceAccounts)
		for namespace, names := range files.ServiceAccounts {
			out.ServiceAccounts[namespace] = slices.Concat(out.ServiceAccounts[namespace], names)
		}
	}
	for _, resource := range facts.Resources {
		out.Resources = append(out.Resources, lint.Resource{Group: resource.Group, Name: resource.Name, Namespaced: resource.Namespaced})
	}
	out.Policies = in.policies()
	for _, leader := range facts.Leaders {
		out.Leaders = append(out.Leaders, lint.Leader{
			LeaseNamespace: leader.Namespace, Lease: leader.Lease, Namespace: leader.Namespace, ServiceAccount: leader.ServiceAccount,
		})
	}
	for _, agent := range facts.Agents {
		out.Agents = append(out.Agents, agentOf(agent))
	}
	for i := range facts.Servers {
		server := &facts.Servers[i]
		out.Servers = append(out.Servers, lint.Server{
			Object:    lint.Object{Kind: server.Kind, Name: server.Name},
			Namespace: server.Namespace, ServiceAccount: server.ServiceAccount,
			Requests: append([]flowcontrolv1.ResourcePolicyRule(nil), server.Requests...),
		})
	}
	return out
}

// agentOf returns an agent. A static pod of kube-proxy has the user that all who install it
// so give it.
func agentOf(agent source.Agent) lint.Agent {
	out := lint.Agent{
		Object:    lint.Object{Kind: agent.Kind, Name: agent.Namespace + "/" + agent.Name},
		Namespace: agent.Namespace, ServiceAccount: agent.ServiceAccount,
	}
	if agent.ServiceAccount == "" {
		out.User = "system:kube-proxy"
	}
	return out
}

// policies returns the policies, with what all API servers together tell of them. Without
// objects, as in saved answers, metrics do not tell which requests they judge.
func (in *Input) policies() []lint.Policy {
	var out []lint.Policy
	for _, policy := range in.Facts.Policies {
		var checks, authorizer replica.Durations
		for i := range in.Replicas {
			checks.Add(in.Replicas[i].Metrics.Policies[policy.Name])
			authorizer.Add(in.Replicas[i].Metrics.Authorizer)
		}
		out = append(out, lint.Policy{
			Object: lint.Object{Kind: "ValidatingAdmissionPolicy", Name: policy.Name}, Requests: policy.Requests,
			Authorizes: policy.Authorizes, Parameters: policy.Parameters,
			Checks: checks.Count, Took: checks.Mean(), Webhook: authorizer.Mean(),
		})
	}
	return out
}
