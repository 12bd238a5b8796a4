package isolate_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/e2e/lines"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/explain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/operators"
)

func TestOperatorsAreIsolatedOnKubeAPIServer(t *testing.T) {
	s := newSite(t)
	var manifests strings.Builder
	for _, o := range operators.All() {
		manifests.WriteString("---\n" + o.Manifest())
	}
	s.kubectl.RunInput(t, manifests.String(), "create", "-f", "-")
	others := map[string]place{}
	for _, line := range operators.Others() {
		others[line] = s.placeOf(t.Context(), t, line)
	}
	for _, o := range operators.All() {
		s.isolate(t, o)
	}
	eventually.Holds(t, "all flow schemas are in force", func(a *eventually.Attempt) {
		for _, o := range operators.All() {
			s.requireIsolated(a.Context(), a, o)
		}
	})
	for line, was := range others {
		assert.Equal(t, was, s.placeOf(t.Context(), t, line), line)
	}
	t.Run("parts of the cluster are not demoted", s.requireNeeded)
}

// partsOfCluster are a network driver, by its pod, a storage driver, by its permissions, and an administrator's tool.
const partsOfCluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: drivers}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: network, namespace: drivers}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: storage, namespace: drivers}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: deployer, namespace: drivers}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: app, namespace: drivers}}
---
apiVersion: v1
kind: Pod
metadata: {name: agent, namespace: drivers}
spec: {serviceAccountName: network, priorityClassName: system-node-critical, containers: [{name: c, image: example.com/agent}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: storage}
rules: [{apiGroups: [storage.k8s.io], resources: [volumeattachments/status], verbs: [patch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: storage}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: storage}
subjects: [{kind: ServiceAccount, name: storage, namespace: drivers}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: deployer}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: deployer, namespace: drivers}]
`

func (s *site) requireNeeded(t *testing.T) {
	s.kubectl.RunInput(t, partsOfCluster, "create", "-f", "-")
	for account, says := range map[string]string{
		"network": "its pod agent has the priority of a critical part", "storage": "by its permissions, it attaches volumes",
		"deployer": "may patch all resources, so its permissions do not tell", "app": "Demoted: system:serviceaccount:drivers:app",
	} {
		eventually.Holds(t, "the authorizer has read the permissions", func(a *eventually.Attempt) {
			made := s.kubectl.Try(t, "", "apf", "isolate", "--demote=system:serviceaccount:drivers:"+account)
			require.Contains(a, made.Stdout+made.Stderr, says, account)
		})
	}
}

// site is a kube-apiserver.
type site struct {
	kubectl   *harness.Kubectl
	url       string
	config    *rest.Config
	http      *http.Client
	client    kubernetes.Interface
	explainer *explain.Explainer
	names     map[string]string // of objects, by UID
}

func newSite(t *testing.T, flags ...string) *site {
	t.Helper()
	harness.Program(t, binaries.Plugin)
	server := harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{Etcd: harness.StartEtcd(t, harness.EtcdOptions{}), Args: flags})
	config := server.Config(t)
	config.QPS = -1
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	typed, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	c, err := configuration.BuiltIn("1.33")
	require.NoError(t, err)
	return &site{server.Kubectl(t), server.URL, config, client, typed, explain.New(explain.Input{Configuration: c}), map[string]string{}}
}

// isolate applies what the plug-in writes.
func (s *site) isolate(t *testing.T, o operators.Operator) {
	t.Helper()
	made := s.kubectl.Try(t, "", append([]string{"apf", "isolate", "-o", "yaml"}, o.Flags...)...)
	require.Zero(t, made.ExitCode, "%s: %s", o.File, made.Stderr)
	require.Contains(t, made.Stderr, "kubectl apf lint finds nothing in these objects.", o.File)
	s.kubectl.RunInput(t, made.Stdout, "apply", "-f", "-")
}

// requireIsolated requires that each request of the operator gets its flow schema and level.
func (s *site) requireIsolated(ctx context.Context, t require.TestingT, o operators.Operator) {
	for _, r := range o.Requests {
		require.Equal(t, place{r.Schema, r.Level}, s.placeOf(ctx, t, r.Line), r.Line)
	}
}

// place is a flow schema and its level.
type place struct{ schema, level string }

// placeOf sends a request as its user, and returns what the headers of the response name. A
// write changes nothing, and a watch ends with its headers.
func (s *site) placeOf(ctx context.Context, t require.TestingT, line string) place {
	parsed, err := lines.Parse(line)
	require.NoError(t, err, line)
	answer, err := s.explainer.Explain(parsed)
	require.NoError(t, err, line)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, answer.Request.Method, s.url+answer.Request.URL, http.NoBody)
	require.NoError(t, err)
	if request.Method != http.MethodGet && request.Method != http.MethodHead {
		query := request.URL.Query()
		query.Set("dryRun", metav1.DryRunAll)
		request.URL.RawQuery = query.Encode()
	}
	request.Header.Set("Impersonate-User", answer.Request.User)
	for _, group := range answer.Request.Groups {
		request.Header.Add("Impersonate-Group", group)
	}
	response, err := s.http.Do(request)
	require.NoError(t, err, line)
	_ = response.Body.Close()
	return s.named(ctx, t, response.Header)
}

// named returns the names of the objects in the headers.
func (s *site) named(ctx context.Context, t require.TestingT, header http.Header) place {
	schema := header.Get(flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID)
	level := header.Get(flowcontrolv1.ResponseHeaderMatchedPriorityLevelConfigurationUID)
	if s.names[schema] == "" || s.names[level] == "" {
		s.readNames(ctx, t)
	}
	require.NotEmpty(t, s.names[schema], "the server names a flow schema: %v", header)
	require.NotEmpty(t, s.names[level])
	return place{s.names[schema], s.names[level]}
}

// readNames reads the names of all objects by their UIDs.
func (s *site) readNames(ctx context.Context, t require.TestingT) {
	schemas, err := s.client.FlowcontrolV1().FlowSchemas().List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	for i := range schemas.Items {
		s.names[string(schemas.Items[i].UID)] = schemas.Items[i].Name
	}
	levels, err := s.client.FlowcontrolV1().PriorityLevelConfigurations().List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	for i := range levels.Items {
		s.names[string(levels.Items[i].UID)] = levels.Items[i].Name
	}
}
