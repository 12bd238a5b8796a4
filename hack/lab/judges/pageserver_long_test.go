//go:build long

package judges

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	reader = "reader"
	guest  = "guest"
	// narrow is a level with one seat and room for one waiting request, and the schema of
	// reader and guest.
	narrow = "narrow"

	narrowObjects = `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: narrow}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 1
    lendablePercent: 0
    borrowingLimitPercent: 0
    limitResponse: {type: Queue, queuing: {queues: 1, handSize: 1, queueLengthLimit: 1}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: narrow}
spec:
  matchingPrecedence: 500
  priorityLevelConfiguration: {name: narrow}
  distinguisherMethod: {type: ByUser}
  rules:
  - subjects: [{kind: User, user: {name: reader}}, {kind: User, user: {name: guest}}]
    resourceRules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true}]
`
)

// everything lets all users do everything.
const everything = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: everything}
rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}, {nonResourceURLs: ["*"], verbs: ["*"]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: everything}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: everything}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: "system:authenticated"}]
`

// pageServer is a server whose users may do everything.
type pageServer struct {
	*harness.Server
	// administrator and users are clients with the credentials of the administrator, and
	// without any: requests add the token of a user.
	administrator, users *http.Client
}

// startPageServer starts a server with the tokens and the objects of narrow.
func startPageServer(t *testing.T, tokens string) *pageServer {
	t.Helper()
	s := &pageServer{Server: harness.StartServer(t, harness.ServerOptions{Args: []string{
		"--token-auth-file=" + fileOf(t, "tokens.csv", tokens),
		"--authorization-rbac-file=" + fileOf(t, "rbac.yaml", everything),
		"--max-requests-inflight=10", "--max-mutating-requests-inflight=10", // one seat is the level's
		"--request-timeout=10m", // the held request executes until the test ends it
	}})}
	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig)
	require.NoError(t, err)
	s.administrator, err = rest.HTTPClientFor(config)
	require.NoError(t, err)
	s.users, err = rest.HTTPClientFor(rest.AnonymousClientConfig(config))
	require.NoError(t, err)
	harness.NewKubectl(t, s.Kubeconfig).RunInput(t, narrowObjects, "apply", "-f", "-")
	s.awaitMetric(t, `apiserver_flowcontrol_nominal_limit_seats{priority_level="`+narrow+`"} 1`)
	return s
}

func (s *pageServer) awaitMetric(t *testing.T, line string) {
	t.Helper()
	eventually.Holds(t, line, func(a *eventually.Attempt) {
		answer, err := harness.Send(a.Context(), s.administrator, http.MethodGet, s.URL+"/metrics", "")
		require.NoError(a, err)
		require.Contains(a, answer.Body, line)
	})
}

func fileOf(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}
