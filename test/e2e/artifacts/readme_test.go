package artifacts

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/tour"
)

// scalerHasNoSeats sends the requests of a service account to a level that rejects them.
const scalerHasNoSeats = `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: scaler}
spec: {type: Limited, limited: {nominalConcurrencyShares: 0, borrowingLimitPercent: 0, limitResponse: {type: Reject}}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: scaler}
spec:
  matchingPrecedence: 500
  priorityLevelConfiguration: {name: scaler}
  rules:
  - subjects: [{kind: ServiceAccount, serviceAccount: {namespace: shop, name: scaler}}]
    resourceRules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"]}]
    nonResourceRules: [{verbs: ["*"], nonResourceURLs: ["*"]}]
`

// TestReadmeTour runs the tour, and what README.md shows of the plug-in, after a service account was rejected.
func TestReadmeTour(t *testing.T) {
	clone := tour.StartAsInAClone(t)
	kubeconfig := filepath.Join(clone, ".flowcontrol-apiserver", "admin.kubeconfig")
	kubectl := harness.NewKubectl(t, kubeconfig)
	kubectl.RunInput(t, scalerHasNoSeats, "apply", "-f", "-")
	kubectl.Run(t, "wait", "--for=condition=Dangling=False", "flowschema/scaler")
	rejected := kubectl.Try(t, "", "get", "--raw", "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", "--as=system:serviceaccount:shop:scaler", "--request-timeout=5s")
	require.NotZero(t, rejected.ExitCode, rejected.Stdout)
	tour.Run(t, tour.Section{Document: "README.md", Heading: "## Why was I throttled?", Dir: clone, Env: []string{"KUBECONFIG=" + kubeconfig}}, *updateDocs)
	kubectl.Run(t, "delete", "prioritylevelconfiguration/scaler", "flowschema/scaler")
	tour.Run(t, tour.Section{Document: "docs/tour.md", Heading: "## Tour of five minutes", Dir: clone}, *updateDocs)
}
