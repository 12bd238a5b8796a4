package options

import (
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/utils/ptr"
)

// fits are the flow schemas of Kubernetes that requests of an aggregated server match, with the
// reason of each. kube-apiserver passes on who asks, so the users are the cluster's. The others of
// Kubernetes are for leases, endpoints and status of nodes, which only kube-apiserver serves.
func fits() map[string]string {
	return map[string]string{
		"exempt":                       "administrators, and kube-apiserver as system:masters: it checks availability and reads aggregated discovery",
		"probes":                       "kubelet's probes and load balancers ask for health without credentials",
		"system-nodes":                 "kubelets",
		"kube-controller-manager":      "garbage collector, namespace and quota controllers list and watch what the server has",
		"kube-scheduler":               "the scheduler",
		"kube-system-service-accounts": "controllers of the cluster, such as the horizontal pod autoscaler where it has its own account",
		"service-accounts":             "workloads: operators, agents, CI",
		"global-default":               "people with kubectl, and dashboards",
		"catch-all":                    "anything else",
	}
}

// BuiltIn returns the configuration of a server without another: the built-in objects of
// Kubernetes that fit an aggregated server, from k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap.
// They must not be changed.
func BuiltIn() ([]*flowcontrolv1.PriorityLevelConfiguration, []*flowcontrolv1.FlowSchema) {
	chosen := fits()
	var schemas []*flowcontrolv1.FlowSchema
	used := map[string]bool{}
	for _, schema := range slices.Concat(bootstrap.MandatoryFlowSchemas, bootstrap.SuggestedFlowSchemas) {
		if _, fits := chosen[schema.Name]; fits {
			schemas = append(schemas, schema)
			used[schema.Spec.PriorityLevelConfiguration.Name] = true
		}
	}
	var levels []*flowcontrolv1.PriorityLevelConfiguration
	for _, level := range slices.Concat(bootstrap.MandatoryPriorityLevelConfigurations, bootstrap.SuggestedPriorityLevelConfigurations) {
		if used[level.Name] {
			levels = append(levels, keeping(level))
		}
	}
	return levels, schemas
}

// keeping returns the level with less lending, if it is one of workloads. In Kubernetes they
// lend nine tenths of their seats while they are idle, and exempt requests take the most that
// they had at once since the last division of the seats. kube-apiserver has 600 seats and does
// not feel it. Of 16 seats, workload-low had 3 when load began, and 2 after 11 requests of
// kube-apiserver at once: users with small requests then waited for 0.8 s instead of 0.15 s,
// beside one with many. With half, it keeps 5 seats of 16, and a busy level still gets most
// seats of the idle ones.
func keeping(level *flowcontrolv1.PriorityLevelConfiguration) *flowcontrolv1.PriorityLevelConfiguration {
	if level.Name != "workload-low" {
		return level
	}
	level = level.DeepCopy()
	level.Spec.Limited.LendablePercent = ptr.To[int32](50)
	return level
}
