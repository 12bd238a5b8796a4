package findings

import (
	"maps"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// facts returns what is known of the cluster if the files were applied to it.
func (in *Input) facts() lint.Facts {
	out, files := in.Facts.Facts, &in.Files
	if out.Namespaces != nil {
		out.Namespaces = slices.Concat(out.Namespaces, files.Namespaces)
	}
	if out.ServiceAccounts != nil {
		out.ServiceAccounts = maps.Clone(out.ServiceAccounts)
		for namespace, names := range files.ServiceAccounts {
			out.ServiceAccounts[namespace] = slices.Concat(out.ServiceAccounts[namespace], names)
		}
	}
	// All API servers together tell how long policies take. Without objects, as in saved answers,
	// metrics do not tell which requests they judge.
	out.Policies = slices.Clone(out.Policies)
	for i := range out.Policies {
		policy := &out.Policies[i]
		var checks, authorizer replica.Durations
		for k := range in.Replicas {
			checks.Add(in.Replicas[k].Metrics.Policies[policy.Object.Name])
			authorizer.Add(in.Replicas[k].Metrics.Authorizer)
		}
		policy.Checks, policy.Took, policy.Webhook = checks.Count, checks.Mean(), authorizer.Mean()
	}
	return out
}
