package artifacts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

func TestPodsAreBoundedAndReplicasScheduledOnOneNodeAsOnThree(t *testing.T) {
	for _, overlay := range overlays(t) {
		t.Run("artifacts/"+overlay, func(t *testing.T) {
			templates := 0
			for _, object := range render(t, overlay) {
				template := podTemplate(t, object)
				if template == nil {
					continue
				}
				templates++
				container := template.Spec.Containers[0]
				requireMemoryBounded(t, container)
				if object.GetKind() == "CronJob" { // runs beside serving ones, and may wait for room
					continue
				}
				require.Equal(t, "system-cluster-critical", template.Spec.PriorityClassName)
				require.Positive(t, container.Resources.Requests.StorageEphemeral().Value(), "a full disk evicts those first who request less than they use")
				// Nothing keeps two replicas from one node: no port of the host, no rule
				// that must hold.
				require.False(t, template.Spec.HostNetwork)
				var spread []string
				if object.GetKind() == "StatefulSet" {
					spread = requireNodesOfTheirOwn(t, template)
				} else {
					require.Nil(t, template.Spec.Affinity)
				}
				for _, constraint := range template.Spec.TopologySpreadConstraints {
					require.Equal(t, corev1.ScheduleAnyway, constraint.WhenUnsatisfiable)
					spread = append(spread, constraint.TopologyKey)
				}
				require.Equal(t, []string{corev1.LabelHostname, corev1.LabelTopologyZone}, spread)
			}
			require.NotZero(t, templates)
		})
	}
}

// requireNodesOfTheirOwn requires that no node has two members of etcd, and returns the topology.
func requireNodesOfTheirOwn(t *testing.T, template *corev1.PodTemplateSpec) []string {
	t.Helper()
	require.NotNil(t, template.Spec.Affinity, "two members on one node are lost together, with the quorum")
	terms := template.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	require.Len(t, terms, 1)
	require.True(t, selects(t, terms[0].LabelSelector, template.Labels))
	return []string{terms[0].TopologyKey}
}

// requireMemoryBounded requires a limit, and that Go knows one below it if it is told.
func requireMemoryBounded(t *testing.T, container corev1.Container) {
	t.Helper()
	limit := container.Resources.Limits.Memory().Value()
	require.Greater(t, limit, container.Resources.Requests.Memory().Value())
	require.Zero(t, container.Resources.Limits.Cpu().Value(), "a throttled pod fails its probes")
	for _, variable := range container.Env {
		if variable.Name == "GOMEMLIMIT" {
			soft := resource.MustParse(strings.TrimSuffix(variable.Value, "B"))
			require.InDelta(t, 0.9, float64(soft.Value())/float64(limit), 0.03)
			return
		}
	}
	require.Equal(t, "etcd", container.Name, "maps its database into memory, which GOMEMLIMIT does not count")
}

func TestDisruptionBudgetsNeverKeepANodeThatHasOnlyBrokenPods(t *testing.T) {
	objects := render(t, "overlays/own-etcd")
	budgets := 0
	for _, object := range objects {
		if object.GetKind() != "PodDisruptionBudget" {
			continue
		}
		budgets++
		budget := find[policyv1.PodDisruptionBudget](t, objects, "PodDisruptionBudget", object.GetName())
		require.Equal(t, policyv1.AlwaysAllow, *budget.Spec.UnhealthyPodEvictionPolicy)
	}
	require.Equal(t, 2, budgets, "of the server and of etcd")
}

// TestNetworkPoliciesAdmitWhatIsNeeded evaluates the policies as a network plug-in does.
func TestNetworkPoliciesAdmitWhatIsNeeded(t *testing.T) {
	server := labels.Set{"app.kubernetes.io/name": "flowcontrol-apiserver", "app.kubernetes.io/component": "server"}
	etcd := labels.Set{"app.kubernetes.io/name": "flowcontrol-etcd"}
	stranger := labels.Set{"app": "other"}
	objects := render(t, "overlays/own-etcd")
	snapshot := labels.Set(find[batchv1.CronJob](t, objects, "CronJob", "flowcontrol-etcd-snapshot").Spec.JobTemplate.Spec.Template.Labels)
	for _, test := range []struct {
		name     string
		from, to labels.Set
		port     string
		admitted bool
	}{
		{"kube-apiserver reaches the server", nil, server, "https", true},
		{"the server reaches etcd", server, etcd, "client", true},
		{"members reach each other as peers", etcd, etcd, "peer", true},
		{"members reach each other as clients, for etcdctl", etcd, etcd, "client", true},
		{"snapshots read etcd's data", snapshot, etcd, "client", true},
		{"snapshots are no member", snapshot, etcd, "peer", false},
		{"Prometheus reads etcd's metrics", stranger, etcd, "metrics", true},
		{"nobody else reaches etcd's data", stranger, etcd, "client", false},
		{"nobody reaches snapshots", stranger, snapshot, "https", false},
		{"the server is no peer", server, etcd, "peer", false},
		{"the server has no other port", stranger, server, "debug", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.admitted, admits(t, objects, test.from, test.to, test.port))
		})
	}
}

// admits reports whether a pod may reach the named port of another; nil labels are of no
// pod.
func admits(t *testing.T, objects []*unstructured.Unstructured, from, to labels.Set, port string) bool {
	t.Helper()
	selected := false
	for _, object := range objects {
		if object.GetKind() != "NetworkPolicy" {
			continue
		}
		policy := find[networkingv1.NetworkPolicy](t, objects, "NetworkPolicy", object.GetName())
		require.Equal(t, []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}, policy.Spec.PolicyTypes)
		if !selects(t, &policy.Spec.PodSelector, to) {
			continue
		}
		selected = true
		for _, rule := range policy.Spec.Ingress {
			if ruleAdmits(t, rule, from, port) {
				return true
			}
		}
	}
	require.True(t, selected, "no policy selects %v", to)
	return false
}

func ruleAdmits(t *testing.T, rule networkingv1.NetworkPolicyIngressRule, from labels.Set, port string) bool {
	t.Helper()
	for _, open := range rule.Ports {
		if open.Port.StrVal != port {
			continue
		}
		if len(rule.From) == 0 {
			return true
		}
		for _, peer := range rule.From {
			if from != nil && selects(t, peer.PodSelector, from) {
				return true
			}
		}
	}
	return false
}

func selects(t *testing.T, selector *metav1.LabelSelector, pod labels.Set) bool {
	t.Helper()
	selects, err := metav1.LabelSelectorAsSelector(selector)
	require.NoError(t, err)
	return selects.Matches(pod)
}

// TestGuardIsAPodForKubelet checks the static pod of guard-v1, which kubelet reads from a
// file, as strictly as kube-apiserver would.
func TestGuardIsAPodForKubelet(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(folder(t, "registration/guard-v1"), "pod.yaml"))
	require.NoError(t, err)
	var pod corev1.Pod
	require.NoError(t, yaml.UnmarshalStrict(text, &pod))
	container := pod.Spec.Containers[0]
	require.True(t, pod.Spec.HostNetwork, "it must not need the cluster's network")
	require.Contains(t, container.Image, "ghcr.io/flowcontrol-apiserver/flowcontrol-apiserver:v")
	require.False(t, container.Resources.Limits.Memory().IsZero())
	// The command has these flags: help ends a command that has parsed all of them.
	code, output := harness.RunServer(t, append(container.Args, "--help")...)
	require.Zero(t, code, output)
	require.Contains(t, output, "Return v1 to kube-apiserver when no replica has served it for a while.")
}
