package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// realManifest is a file below testdata/manifests. Each is modelled on manifests that
// people apply.
type realManifest struct {
	// judgement says why the findings are right.
	file, judgement string
	// findings are as summary returns them.
	findings []string
}

func realManifests() []realManifest {
	const shares = "spec.limited.nominalConcurrencyShares"
	return []realManifest{
		{"health-for-strangers", "Exempt, but only three URLs.", nil},
		{"list-events", "One namespace, so there is no list of all namespaces to miss.", nil},
		{"pod-listers", "kubectl get pods --all-namespaces has no namespace. A hand of 4 of 10 queues is shared with a probability of 0.5 %.", []string{
			"FC105 warning FlowSchema/pod-listers spec.rules[0].resourceRules[0].clusterScope",
		}},
		{"cert-manager", "Nothing is wrong.", nil},
		{"argo-cd", "Three flows in one queue: one of them delays the others.", []string{
			"FC204 warning PriorityLevelConfiguration/argo-cd spec.limited.limitResponse.queuing",
		}},
		{"argo-cd-one-flow", "One flow needs one queue.", nil},
		{"argo-workflows", "1.33 serves neither; the field is v1beta2's.", []string{
			"FC401 error FlowSchema/argo-workflows apiVersion",
			"FC401 error PriorityLevelConfiguration/argo-workflows apiVersion",
		}},
		{"flux", "No other has the precedence, and the level is built in.", nil},
		{"crossplane", "A request has the API group without its version, and the plural of the kind.", []string{
			"FC106 warning FlowSchema/crossplane spec.rules[0].resourceRules[0].apiGroups[0]",
			"FC107 warning FlowSchema/crossplane spec.rules[0].resourceRules[0].resources[0]",
		}},
		{"velero", "The server rejects both verbs too, which needs no second finding.", []string{
			"FC108 warning FlowSchema/velero spec.rules[0].resourceRules[0].verbs[0]",
			"FC108 warning FlowSchema/velero spec.rules[0].resourceRules[0].verbs[2]",
		}},
		{"prometheus", "/metrics alone can match.", []string{
			"FC109 warning FlowSchema/prometheus spec.rules[0].nonResourceRules[0].nonResourceURLs[1]",
			"FC109 warning FlowSchema/prometheus spec.rules[0].nonResourceRules[0].nonResourceURLs[2]",
		}},
		{"kube-state-metrics", "One account is named on purpose, so this is worth to know, but no mistake.", []string{
			"FC303 info FlowSchema/kube-state-metrics spec.matchingPrecedence",
		}},
		{"cluster-api", "Namespaces are no patterns, and the server rejects them.", []string{
			"FC405 error FlowSchema/cluster-api spec.rules[0].resourceRules[0].namespaces[0]",
		}},
		{"istio", "User names are no patterns.", []string{"FC110 warning FlowSchema/istio spec.rules[0].subjects[0].user.name"}},
		{"kyverno", "The group includes the account, and its schema sorts first, so the other never matches; that both have one precedence is then no news.", []string{
			"FC103 warning FlowSchema/kyverno-reports spec.matchingPrecedence",
		}},
		{"kyverno-in-order", "The special schema comes first.", nil},
		{"gatekeeper", "No file has the level.", []string{"FC101 error FlowSchema/gatekeeper spec.priorityLevelConfiguration.name"}},
		{"tekton", "The level comes later in the file.", nil},
		{"external-secrets", "Requests wait for seats that never come.", []string{"FC201 warning PriorityLevelConfiguration/stopped " + shares}},
		{"keda", "10 % of 3 seats are none.", []string{"FC208 info PriorityLevelConfiguration/keda spec.limited.lendablePercent"}},
		{"knative", "Nothing stays for the level's own requests.", []string{"FC209 warning PriorityLevelConfiguration/knative spec.limited.lendablePercent"}},
		{"spark-operator", "The built-in levels have 245 shares together, so each loses four fifths.", []string{"FC207 warning PriorityLevelConfiguration/spark " + shares}},
		{"vertical-pod-autoscaler", "global-default, 9900, takes everything.", []string{
			"FC103 warning FlowSchema/autoscaler spec.matchingPrecedence",
		}},
		{"datadog", "12 seats serve 1,800 requests of 100 ms in 15 s.", []string{
			"FC205 warning PriorityLevelConfiguration/datadog spec.limited.limitResponse.queuing.queueLengthLimit",
		}},
		{"nodes-throttled", "Heartbeats and everything else of nodes moves to 12 seats, and the built-in schemas of nodes have nothing left.", []string{
			"FC103 warning FlowSchema/kubelets spec.matchingPrecedence",
			"FC303 warning FlowSchema/kubelets spec.matchingPrecedence",
		}},
		{"everyone-first", "The control plane is authenticated too, so it shares 46 seats with everyone, and its schemas have nothing left.", []string{
			"FC103 warning FlowSchema/fair spec.matchingPrecedence",
			"FC303 warning FlowSchema/fair spec.matchingPrecedence",
		}},
		{"built-in-changed", "The annotation of the stored object stays \"true\".", []string{
			"FC301 warning PriorityLevelConfiguration/workload-low metadata.annotations[apf.kubernetes.io/autoupdate-spec]",
		}},
		{"built-in-taken-over", "The annotation says that a user owns the spec.", nil},
		{"built-in-copied", "kube-apiserver deletes annotated objects that are not built in.", []string{
			"FC304 error PriorityLevelConfiguration/workload-medium metadata.annotations[apf.kubernetes.io/autoupdate-spec]",
		}},
		{"leader-election", "Leader elections have this level anyhow, and elections in kube-system match an earlier schema.", nil},
		{"exempt-everyone", "Nothing limits anybody, and no service account reaches its schema.", []string{
			"FC103 warning FlowSchema/no-limits spec.matchingPrecedence",
			"FC113 warning FlowSchema/no-limits spec.rules[0].subjects[0]",
		}},
		{"openshift-reviews", "One account and few requests are exempt.", nil},
		{"rancher", "1.32 and later do not serve v1beta3.", []string{"FC401 error FlowSchema/rancher apiVersion"}},
		{"renamed-field", "v1 has another name for the field.", []string{"FC403 error PriorityLevelConfiguration/jenkins spec.limited.assuredConcurrencyShares"}},
		{"no-rules", "Without rules nothing matches.", []string{"FC102 warning FlowSchema/switched-off spec.rules"}},
		{"level-alone", "The level has seats that only others use.", []string{"FC202 info PriorityLevelConfiguration/later"}},
		{"deny-anonymous", "Rejecting is what it is for, and kube-apiserver does not do it.", []string{"FC206 info PriorityLevelConfiguration/anonymous spec.limited.nominalConcurrencyShares"}},
		{"tenants", "RBAC has patterns of subresources, flow control has not. Namespaces are named in URLs.", []string{
			"FC107 warning FlowSchema/tenants spec.rules[0].resourceRules[0].resources[1]",
			"FC118 info FlowSchema/tenants spec.rules[0].subjects[0]",
		}},
		{"helm-jobs", "The namespace of an account is no pattern.", []string{"FC110 warning FlowSchema/helm-jobs spec.rules[0].subjects[0].serviceAccount.namespace"}},
		{"two-before", "Each of two schemas takes one of its users.", []string{"FC103 warning FlowSchema/batch spec.matchingPrecedence"}},
	}
}

func TestRealManifests(t *testing.T) {
	files, err := filepath.Glob("testdata/manifests/*.yaml")
	require.NoError(t, err)
	judged := map[string]bool{}
	for _, test := range realManifests() {
		judged[test.file] = true
		t.Run(test.file, func(t *testing.T) {
			want := append([]string{}, test.findings...)
			require.Equal(t, want, summary(Check(manifestFile(t, test.file))), test.judgement)
		})
	}
	for _, file := range files {
		require.True(t, judged[strings.TrimSuffix(filepath.Base(file), ".yaml")], "%s is not judged", file)
	}
	require.Len(t, judged, len(files))
}

// manifestFile returns the bundle of a file.
func manifestFile(t testing.TB, name string) Bundle {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "manifests", name+".yaml"))
	require.NoError(t, err)
	return manifest(t, string(content))
}

// The examples that this project publishes have no findings.
func TestPublishedExamplesHaveNoFindings(t *testing.T) {
	files, err := filepath.Glob("../../artifacts/examples/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Empty(t, summary(Check(manifest(t, string(content)))), file)
	}
}
