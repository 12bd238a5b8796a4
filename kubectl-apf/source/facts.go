package source

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// Facts are observations of a cluster. A nil fact is unknown, and Missing says why.
type Facts struct {
	// Namespaces are the names of all namespaces.
	Namespaces []string
	// ServiceAccounts are the names of all service accounts, by namespace.
	ServiceAccounts map[string][]string
	// Resources are all resources and subresources in discovery; nil if discovery
	// failed for an API group.
	Resources []Resource
	// ServedVersions are the versions of flowcontrol.apiserver.k8s.io that are served,
	// the preferred one first.
	ServedVersions []string
	// Servers are aggregated API servers and webhooks.
	Servers []Server
	// Agents are DaemonSets, and static pods of kube-proxy.
	Agents []Agent
	// Leaders are service accounts that hold leases.
	Leaders []Leader
	// Policies are ValidatingAdmissionPolicies that are bound.
	Policies []Policy
	Missing  []replica.Missing
}

// Resource is a resource in discovery, in one version.
type Resource struct {
	// Group is the API group, empty for the core group.
	Group, Version string
	// Name is RESOURCE or RESOURCE/SUBRESOURCE; Kind is the kind of its objects.
	Name, Kind string
	Namespaced bool
	Verbs      []string
}

// Server is a server that requests wait for while they hold seats.
type Server struct {
	// Kind is APIService, ValidatingWebhookConfiguration or MutatingWebhookConfiguration; Name is
	// the name of the object.
	Kind, Name string
	// Namespace and Service name the server's Service; empty for a server outside of the cluster.
	Namespace, Service string
	// ServiceAccount is the account of the Service's pods; empty if unknown.
	ServiceAccount string
	// Requests are the requests that wait for the server: of an APIService its group, of a webhook
	// its rules.
	Requests []flowcontrolv1.ResourcePolicyRule
}
