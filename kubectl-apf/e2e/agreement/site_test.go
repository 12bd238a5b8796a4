package agreement_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/explain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/requests"
)

// site is an API server and an Explainer that knows what can be read from it.
type site struct {
	*harness.APIServer

	client    *http.Client
	explainer *explain.Explainer
	own       bool           // it is this server, not kube-apiserver
	stored    map[string]int // the least number of objects by resource
}

// newSite creates random flow schemas on a server, and waits until they are enforced and
// the server has counted its objects.
func newSite(t *testing.T, server *harness.APIServer, own bool, stored map[string]int, random *rand.Rand) *site {
	t.Helper()
	s := connect(t, server, own, stored)
	s.configure(t, append(requests.FlowSchemas(random, 40), sentinel()))
	_, s.explainer = s.read(t)
	return s
}

// connect returns a site whose Explainer is not made yet.
func connect(t *testing.T, server *harness.APIServer, own bool, stored map[string]int) *site {
	t.Helper()
	client, err := rest.HTTPClientFor(server.Config(t))
	require.NoError(t, err)
	return &site{APIServer: server, client: client, own: own, stored: stored}
}

// read returns where the server's state is read, and an Explainer of its present state.
func (s *site) read(t *testing.T) (source.Source, *explain.Explainer) {
	t.Helper()
	flags := genericclioptions.NewConfigFlags(false)
	flags.KubeConfig = &s.Kubeconfig
	read, err := source.New(source.Options{Cluster: flags})
	require.NoError(t, err)
	config, err := read.Configuration(t.Context())
	require.NoError(t, err)
	require.Equal(t, s.own, config.Own)
	var replicas []replica.Replica
	eventually.Holds(t, "the server has counted its objects", func(a *eventually.Attempt) {
		replicas, err = read.Replicas(a.Context(), source.Want{Levels: true, Metrics: true})
		require.NoError(a, err)
		require.Empty(a, replicas[0].Missing)
		for resource, count := range s.stored {
			require.GreaterOrEqual(a, replicas[0].Metrics.Objects[schema.GroupResource{Resource: resource}], int64(count), resource)
		}
	})
	return read, explain.New(explain.Input{Configuration: config, Replicas: replicas, Now: time.Unix(0, 0)})
}

// sentinelUser is the user of the flow schema that is created last.
const sentinelUser = "sentinel"

func sentinel() *flowcontrolv1.FlowSchema {
	s := &flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: sentinelUser}}
	s.Spec.MatchingPrecedence, s.Spec.PriorityLevelConfiguration.Name = 2, "exempt"
	s.Spec.Rules = []flowcontrolv1.PolicyRulesWithSubjects{{
		Subjects:         []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: sentinelUser}}},
		NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: []string{"*"}, NonResourceURLs: []string{"*"}}},
	}}
	return s
}

// configure creates flow schemas. They are enforced when the last one is, since one watch
// tells the server of all.
func (s *site) configure(t *testing.T, schemas []*flowcontrolv1.FlowSchema) {
	t.Helper()
	client, err := kubernetes.NewForConfig(s.Config(t))
	require.NoError(t, err)
	var last *flowcontrolv1.FlowSchema
	for _, flowSchema := range schemas {
		last, err = client.FlowcontrolV1().FlowSchemas().Create(t.Context(), flowSchema, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	eventually.Holds(t, "the last flow schema takes requests", func(a *eventually.Attempt) {
		got, err := s.send(a.Context(), explain.Attributes{User: sentinelUser, Method: http.MethodGet, URL: "/version"})
		require.NoError(a, err)
		require.Equal(a, string(last.UID), got.Get(flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID))
	})
}

// send sends a request as its user and returns the headers of the response. A write
// changes nothing. A watch ends with its headers.
func (s *site) send(ctx context.Context, a explain.Attributes) (http.Header, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, a.Method, s.URL+a.URL, http.NoBody)
	if err != nil {
		return nil, err
	}
	switch a.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		query := request.URL.Query()
		query.Set("dryRun", metav1.DryRunAll)
		request.URL.RawQuery = query.Encode()
	}
	request.Header.Set("Impersonate-User", a.User)
	for _, group := range a.Groups {
		request.Header.Add("Impersonate-Group", group)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%s as %s: %w", a.URL, a.User, err)
	}
	return response.Header, response.Body.Close()
}
