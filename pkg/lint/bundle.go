package lint

import (
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
)

// Bundle is a whole configuration and what is known about where it is enforced. The
// objects may lack defaults; they are read only.
type Bundle struct {
	FlowSchemas    []*flowcontrolv1.FlowSchema
	PriorityLevels []*flowcontrolv1.PriorityLevelConfiguration
	// Defaults are the built-in objects of the release. Without them there are no
	// findings about built-in objects.
	Defaults Defaults
	// Total is the number of seats of one API server; 0 if unknown. Then there are no
	// findings about numbers of seats.
	Total int
	// Release is the minor release of Kubernetes, such as "1.33"; empty if unknown.
	Release string
	// Deleted are PriorityLevelConfigurations that exist and that the bundle leaves
	// out, or that still serve requests after their deletion.
	Deleted []Object
	// Documents are the manifests of the bundle, as they were written.
	Documents []Document
	Facts     Facts
	// Now decides which objects have expired; zero if nothing is judged by it.
	Now time.Time
	// Only selects findings about these objects; nil selects all. The rest of the
	// bundle is what they are judged against.
	Only []Object
	// Steps bounds the comparisons of each FlowSchema, FC115 beyond it; 0 for 5,000,000, which
	// take some 50 ms. A step compares two values.
	Steps int
}

// Document is what decoding an object does not keep of its manifest.
type Document struct {
	Object Object
	// APIVersion is the manifest's, such as "flowcontrol.apiserver.k8s.io/v1".
	APIVersion string
	// UnknownFields are the paths of the fields that APIVersion does not have, such as
	// spec.limited.assuredConcurrencyShares.
	UnknownFields []string
}

// Facts are observations of a cluster. A nil fact is unknown, and no finding depends
// on it.
type Facts struct {
	// Namespaces are the names of all namespaces.
	Namespaces []string
	// ServiceAccounts are the names of all service accounts, by namespace.
	ServiceAccounts map[string][]string
	// Resources are all resources that the API servers serve. Leave it nil if
	// discovery failed for an API group.
	Resources []Resource
	// ServedVersions are the versions of flowcontrol.apiserver.k8s.io that the API
	// server serves, such as "v1". If nil, Release decides.
	ServedVersions []string
	// Servers are aggregated API servers and webhooks.
	Servers []Server
	// Traffic is what logs tell; nil without logs.
	Traffic *Traffic
}

// Resource is a resource in discovery.
type Resource struct {
	// Group is the API group, empty for the core group.
	Group string
	// Name is RESOURCE or RESOURCE/SUBRESOURCE.
	Name       string
	Namespaced bool
}

// Server is a server that requests wait for while they hold seats, and that sends
// reviews (tokenreviews, subjectaccessreviews) to the same API server meanwhile.
type Server struct {
	// Object is the APIService or the webhook configuration.
	Object Object
	// Namespace and ServiceAccount are the server's pods'.
	Namespace, ServiceAccount string
	// Requests are the requests that wait for the server: of an APIService its API group, of a
	// webhook its rules.
	Requests []flowcontrolv1.ResourcePolicyRule
}

// Check judges a bundle as a whole. The order of objects in the bundle has no effect.
// Findings are sorted by severity, code and object.
func Check(bundle Bundle) []Finding {
	j := newJudge(&bundle)
	j.judgeSchemas()
	j.judgeLevels()
	j.judgeBuiltIn()
	j.judgeBuiltInClients()
	j.judgeDocuments()
	j.judgeServers()
	j.judgeTraffic()
	return j.selected()
}
