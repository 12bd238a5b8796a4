package command

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/uri"
)

const (
	flowSchemas    = "flowschemas"
	priorityLevels = "prioritylevelconfigurations"
	group          = "flowcontrol.apiserver.k8s.io"
)

// now is the time of all tests.
var now = time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)

// apiServer is a kube-apiserver 1.33 with the built-in objects, some load on the level
// workload-low, and a webhook. It records which rights its clients used.
type apiServer struct {
	width int // of the terminal; 0 for none
	*httptest.Server
	kubeconfig string

	mu        sync.Mutex // guards what follows
	used      map[string]bool
	agents    map[string]bool // the User-Agents of the requests
	forbidden map[string]bool // rights that the client does not have
	responses map[string]any  // by path: an object, or a text
}

func newAPIServer(t *testing.T) *apiServer {
	t.Helper()
	s := &apiServer{used: map[string]bool{}, agents: map[string]bool{}, forbidden: map[string]bool{}, responses: responses(t)}
	s.Server = httptest.NewTLSServer(s)
	t.Cleanup(s.Close)
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{
		Server:                   s.URL,
		CertificateAuthorityData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}),
	}
	config.AuthInfos["u"] = &clientcmdapi.AuthInfo{Token: "token"}
	config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u", Namespace: "shop"}
	config.CurrentContext = "x"
	s.kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, s.kubeconfig))
	return s
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	right := rightOf(r)
	s.used[right], s.agents[r.UserAgent()] = true, true
	response, known := s.responses[strings.TrimSuffix(r.URL.Path, "/")]
	w.Header().Set("Content-Type", "application/json")
	switch {
	case s.forbidden[right]:
		writeStatus(w, http.StatusForbidden, metav1.StatusReasonForbidden)
	case !known:
		writeStatus(w, http.StatusNotFound, metav1.StatusReasonNotFound)
	default:
		if text, ok := response.(string); ok {
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w, text)
			return
		}
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusCreated)
		}
		if err := json.NewEncoder(w).Encode(response); err != nil {
			panic(err) // the fixture is no JSON
		}
	}
}

func writeStatus(w http.ResponseWriter, code int, reason metav1.StatusReason) {
	w.WriteHeader(code)
	fmt.Fprintf(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": %q, "reason": %q, "code": %d}`, reason, reason, code)
}

// rightOf returns the right that a request needs, in the form of flat.
func rightOf(r *http.Request) string {
	info, err := uri.Info(r.Method, r.URL)
	switch {
	case err != nil:
		return err.Error()
	case info.IsResourceRequest:
		return info.Verb + " " + info.APIGroup + "/" + info.Resource
	default:
		return info.Verb + " " + strings.TrimSuffix(info.Path, "/")
	}
}

// responses returns what the server serves.
func responses(t *testing.T) map[string]any {
	t.Helper()
	c, err := configuration.BuiltIn("1.33")
	require.NoError(t, err)
	for i, schema := range c.FlowSchemas {
		schema.UID = types.UID(fmt.Sprintf("schema-%d", i))
		schema.APIVersion, schema.Kind = group+"/v1", "FlowSchema"
	}
	for i, level := range c.PriorityLevels {
		level.UID = types.UID(fmt.Sprintf("level-%d", i))
		level.APIVersion, level.Kind = group+"/v1", "PriorityLevelConfiguration"
	}
	list := func(kind, version string, items any) map[string]any {
		return map[string]any{"kind": kind, "apiVersion": version, "metadata": map[string]string{"resourceVersion": "1"}, "items": items}
	}
	named := func(namespace, name string) map[string]any {
		return map[string]any{"metadata": map[string]string{"name": name, "namespace": namespace}}
	}
	version := metav1.GroupVersionForDiscovery{GroupVersion: group + "/v1", Version: "v1"}
	apps := metav1.GroupVersionForDiscovery{GroupVersion: "apps/v1", Version: "v1"}
	served := metav1.APIGroup{
		TypeMeta: metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}, Name: group,
		Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version,
	}
	resources := func(version string, resources ...metav1.APIResource) metav1.APIResourceList {
		return metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: version, APIResources: resources}
	}
	return map[string]any{
		"/version": map[string]string{"major": "1", "minor": "33", "gitVersion": "v1.33.4"},
		"/api":     metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions", APIVersion: "v1"}, Versions: []string{"v1"}},
		"/api/v1": resources("v1",
			metav1.APIResource{Name: "pods", SingularName: "pod", Namespaced: true, Kind: "Pod", Verbs: []string{"list"}, ShortNames: []string{"po"}},
			metav1.APIResource{Name: "pods/status", Namespaced: true, Kind: "Pod", Verbs: []string{"get"}}),
		"/apis": metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{
			served, {Name: "apps", Versions: []metav1.GroupVersionForDiscovery{apps}, PreferredVersion: apps},
		}},
		"/apis/apps/v1":                            resources("apps/v1", metav1.APIResource{Name: "deployments", SingularName: "deployment", Namespaced: true, Kind: "Deployment", Verbs: []string{"list"}}),
		"/apis/" + group:                           served,
		"/apis/" + group + "/v1":                   resources(group+"/v1", metav1.APIResource{Name: flowSchemas, Kind: "FlowSchema", Verbs: []string{"list"}}),
		"/apis/" + group + "/v1/" + flowSchemas:    list("FlowSchemaList", group+"/v1", c.FlowSchemas),
		"/apis/" + group + "/v1/" + priorityLevels: list("PriorityLevelConfigurationList", group+"/v1", c.PriorityLevels),
		"/apis/authentication.k8s.io/v1/selfsubjectreviews": authenticationv1.SelfSubjectReview{
			TypeMeta: metav1.TypeMeta{Kind: "SelfSubjectReview", APIVersion: "authentication.k8s.io/v1"},
			Status:   authenticationv1.SelfSubjectReviewStatus{UserInfo: authenticationv1.UserInfo{Username: "alice", Groups: []string{"system:authenticated"}}},
		},
		"/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes": map[string]any{},
		"/api/v1/namespaces":                      list("PartialObjectMetadataList", "meta.k8s.io/v1", []any{named("", "shop"), named("", "kube-system")}),
		"/api/v1/serviceaccounts":                 list("PartialObjectMetadataList", "meta.k8s.io/v1", []any{named("shop", "default")}),
		"/api/v1/namespaces/shop/services/review": map[string]any{"spec": map[string]any{"selector": map[string]string{"app": "review"}}},
		"/api/v1/namespaces/shop/pods":            list("PodList", "v1", []any{map[string]any{"spec": map[string]string{"serviceAccountName": "default"}}}),
		"/apis/apiregistration.k8s.io/v1/apiservices": list("APIServiceList", "apiregistration.k8s.io/v1", []any{
			map[string]any{"metadata": map[string]string{"name": "v1.shop"}, "spec": map[string]any{"group": "shop", "service": map[string]string{"namespace": "shop", "name": "review"}}},
		}),
		"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations": list("ValidatingWebhookConfigurationList", "admissionregistration.k8s.io/v1", []any{}),
		"/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations":   list("MutatingWebhookConfigurationList", "admissionregistration.k8s.io/v1", []any{}),
		"/apis/authorization.k8s.io/v1/subjectaccessreviews": authorizationv1.SubjectAccessReview{
			TypeMeta: metav1.TypeMeta{Kind: "SubjectAccessReview", APIVersion: "authorization.k8s.io/v1"},
			Status:   authorizationv1.SubjectAccessReviewStatus{Allowed: true},
		},
		"/metrics": metrics(245, 7),
		"/debug/api_priority_and_fairness/dump_priority_levels": "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests\n" +
			"workload-low, 1, false, true, 1, 1, 10, 7, 0, 0\n",
		"/debug/api_priority_and_fairness/dump_queues": "PriorityLevelName, Index, PendingRequests, ExecutingRequests, SeatsInUse, NextDispatchR, InitialSeatsSum, MaxSeatsSum, TotalWorkSum\n" +
			"workload-low, 3, 1, 1, 3, 0.0ss, 1, 1, 0.1ss\n",
		"/debug/api_priority_and_fairness/dump_requests": "PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime, InitialSeats, FinalSeats, AdditionalLatency, StartTime, UserName, Verb, APIPath, Namespace, Name, APIVersion, Resource, SubResource\n" +
			"workload-low, service-accounts, 3, -1, robot, 2026-05-06T07:08:06Z, 3, 0, 0s, 2026-05-06T07:08:07Z, robot, list, /api/v1/pods, , , v1, pods, \n" +
			"workload-low, service-accounts, 3, 0, robot, 2026-05-06T07:08:07Z, 1, 0, 0s, 0001-01-01T00:00:00Z, robot, get, /api/v1/pods/p, , p, v1, pods, \n",
	}
}

// metrics returns a scrape: workload-low has used 3 of its seats.
func metrics(limit, rejected int) string {
	const labels = `{flow_schema="service-accounts",priority_level="workload-low"}`
	var out strings.Builder
	for _, name := range []string{"nominal", "lower", "upper", "current"} {
		fmt.Fprintf(&out, "apiserver_flowcontrol_%s_limit_seats{priority_level=\"workload-low\"} %d\n", name, limit)
	}
	fmt.Fprintf(&out, "apiserver_flowcontrol_current_executing_seats%s 3\n", labels)
	fmt.Fprintf(&out, "apiserver_flowcontrol_current_executing_requests%s 1\n", labels)
	fmt.Fprintf(&out, "apiserver_flowcontrol_current_inqueue_requests%s 1\n", labels)
	fmt.Fprintf(&out, "apiserver_flowcontrol_rejected_requests_total{flow_schema=\"service-accounts\",priority_level=\"workload-low\",reason=\"queue-full\"} %d\n", rejected)
	fmt.Fprintf(&out, "apiserver_storage_objects{resource=\"pods\"} 1000\n")
	return out.String()
}

// result is what a run of the program wrote.
type result struct {
	status      int
	out, errOut string
}

// environment returns an environment whose output goes to the buffers.
func environment(out, errOut *bytes.Buffer) Environment {
	return Environment{
		IOStreams: genericiooptions.IOStreams{In: strings.NewReader(""), Out: out, ErrOut: errOut},
		Clock:     clocktesting.NewFakeClock(now),
		Width:     func() int { return 0 },
	}
}

// run runs the program without a cluster.
func run(t *testing.T, args ...string) result {
	t.Helper()
	var out, errOut bytes.Buffer
	status := Run(t.Context(), environment(&out, &errOut), append([]string{"kubectl-apf"}, args...))
	return result{status, out.String(), errOut.String()}
}

// run runs the program with the server as its cluster.
func (s *apiServer) run(t *testing.T, args ...string) result {
	t.Helper()
	return run(t, append(args, "--kubeconfig="+s.kubeconfig, "--cache-dir="+t.TempDir())...)
}

// write writes a file in the working directory.
func write(t *testing.T, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
}

// invocation is a run of the program, and what it writes. One that fails writes one sentence.
type invocation struct {
	name   string
	args   []string
	status int
	says   []string // by their words
}

// invoke runs the program without a cluster, each time with the same first arguments.
func invoke(t *testing.T, all []invocation, first ...string) {
	t.Helper()
	invokeBy(t, all, func(t *testing.T, args ...string) result { return run(t, append(slices.Clip(first), args...)...) })
}

// invokeBy is invoke with a cluster.
func invokeBy(t *testing.T, all []invocation, by func(t *testing.T, args ...string) result) {
	t.Helper()
	for _, one := range all {
		t.Run(one.name, func(t *testing.T) {
			got := by(t, one.args...)
			assert.Equal(t, one.status, got.status, got.errOut)
			if one.status == statusFailed {
				assert.Empty(t, got.out)
				assert.NotContains(t, got.errOut, "Usage:")
				assert.True(t, strings.HasPrefix(got.errOut, "error: "), got.errOut)
				assert.Equal(t, 1, strings.Count(got.errOut, "\n"), got.errOut)
			}
			for _, text := range one.says {
				assert.Contains(t, strings.Join(strings.Fields(got.out+got.errOut), " "), strings.Join(strings.Fields(text), " "))
			}
		})
	}
}
