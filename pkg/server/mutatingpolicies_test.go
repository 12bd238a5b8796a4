package server

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/kubeapiserver"
)

const labelling = `{"metadata": {"resourceVersion": "1"}, "items": [{"metadata": {"name": "label", "resourceVersion": "1"}, "spec": {
	"reinvocationPolicy": "Never", "failurePolicy": "Fail",
	"matchConstraints": {"matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {}, "resourceRules": [{
		"apiGroups": ["flowcontrol.apiserver.k8s.io"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["flowschemas"], "scope": "*"}]},
	"mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'from': 'policy'}}]"}}]}}]}`

const labellingBound = `{"metadata": {"resourceVersion": "1"}, "items": [{"metadata": {"name": "label", "resourceVersion": "1"}, "spec": {"policyName": "label"}}]}`

// The library asks for the schema of an object that a policy changes, and for no other.
const (
	schemaPaths = `{"paths": {"apis/flowcontrol.apiserver.k8s.io/v1": {"serverRelativeURL": "/openapi/v3/apis/flowcontrol.apiserver.k8s.io/v1?hash=1"}}}`
	schemas     = `{"openapi": "3.0.0", "info": {"title": "t", "version": "1"}, "paths": {}, "components": {"schemas": {"io.k8s.api.flowcontrol.v1.FlowSchema": {
		"type": "object", "x-kubernetes-preserve-unknown-fields": true,
		"x-kubernetes-group-version-kind": [{"group": "flowcontrol.apiserver.k8s.io", "version": "v1", "kind": "FlowSchema"}]}}}}`
)

// cluster is a kube-apiserver that answers requests for mutating policies with a code.
type cluster struct {
	list, watch atomic.Int32
}

func (c *cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	code, body := http.StatusOK, `{"metadata": {"resourceVersion": "1"}, "items": []}`
	watches := r.URL.Query().Get("watch") != ""
	switch r.URL.Path {
	case "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies":
		code, body = int(c.list.Load()), labelling
	case "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings":
		code, body = int(c.list.Load()), labellingBound
	case "/openapi/v3":
		body = schemaPaths
	case "/openapi/v3/apis/flowcontrol.apiserver.k8s.io/v1":
		body = schemas
	}
	if watches && code == http.StatusOK && body != `{"metadata": {"resourceVersion": "1"}, "items": []}` {
		code = int(c.watch.Load())
	}
	if watches && r.URL.Query().Get("sendInitialEvents") != "" && code == http.StatusOK {
		code = http.StatusUnprocessableEntity // as a server without streaming lists
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	switch {
	case code != http.StatusOK:
		_, _ = w.Write([]byte(`{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": ` + reasons[code] + `}`))
	case watches:
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	default:
		_, _ = w.Write([]byte(body))
	}
}

var reasons = map[int]string{
	http.StatusForbidden:           `403, "reason": "Forbidden"`,
	http.StatusNotFound:            `404, "reason": "NotFound"`,
	http.StatusUnprocessableEntity: `422, "reason": "Invalid"`,
}

// policyServer is the admission of a server behind a cluster.
type policyServer struct {
	admission admission.MutationInterface
	monitor   *kubeapiserver.Monitor
	scheme    *runtime.Scheme
}

func newPolicyServer(t *testing.T, behind *cluster, flags ...func(*genericoptions.AdmissionOptions)) *policyServer {
	t.Helper()
	web := httptest.NewServer(behind)
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	config := &rest.Config{Host: web.URL}
	p := &kubeAPIServer{client: kubernetes.NewForConfigOrDie(config), dynamic: dynamic.NewForConfigOrDie(config)}
	p.informers = informers.NewSharedInformerFactory(p.client, 0)
	scheme := runtime.NewScheme()
	require.NoError(t, install.Install(scheme))
	generic := genericapiserver.NewConfig(serializer.NewCodecFactory(scheme))
	generic.FeatureGate, generic.EffectiveVersion = utilfeature.DefaultFeatureGate, compatibility.DefaultBuildEffectiveVersion()
	generic.Authorization.Authorizer = authorizer.AuthorizerFunc(func(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
		return authorizer.DecisionNoOpinion, "", nil
	})
	options := genericoptions.NewAdmissionOptions()
	for _, set := range flags {
		set(options)
	}
	require.NoError(t, p.apply(options, generic))
	p.informers.Start(t.Context().Done())
	monitor, err := kubeapiserver.New(kubeapiserver.Config{
		Authentication: config, Authorization: config, Informers: p.informers, MutatingPolicies: p.mutating,
		Clock: clock.RealClock{}, Log: klog.Background(),
	})
	require.NoError(t, err)
	return &policyServer{generic.AdmissionControl.(admission.MutationInterface), monitor, scheme}
}

// create returns the labels of a FlowSchema after admission.
func (p *policyServer) create(ctx context.Context) (map[string]string, error) {
	schema := &flowcontrol.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	err := p.admission.Admit(ctx, admission.NewAttributesRecord(schema, nil, flowcontrolv1.SchemeGroupVersion.WithKind("FlowSchema"), "", "a",
		flowcontrolv1.SchemeGroupVersion.WithResource("flowschemas"), "", admission.Create, &metav1.CreateOptions{}, false, nil),
		admission.NewObjectInterfacesFromScheme(p.scheme))
	return schema.Labels, err
}

// appliesMutations reports whether the library applies mutating policies, which it does by default since
// k8s.io 0.36.
func appliesMutations() bool {
	return utilfeature.DefaultFeatureGate.Enabled("MutatingAdmissionPolicy")
}

func (p *policyServer) message() string {
	for _, check := range p.monitor.Checks() {
		if check.Name() == "mutating-policies" {
			return check.Message()
		}
	}
	return "no check"
}

func TestMutatingPoliciesApplyAsSoonAsTheyCanBeRead(t *testing.T) {
	if !appliesMutations() {
		requireSaidNotToApply(t)
		return
	}
	for name, code := range map[string]int32{"not served": http.StatusNotFound, "not allowed": http.StatusForbidden, "from the start": http.StatusOK} {
		t.Run(name, func(t *testing.T) {
			behind := &cluster{}
			behind.list.Store(code)
			behind.watch.Store(http.StatusOK)
			server := newPolicyServer(t, behind)
			ctx := t.Context() // the informers run until it ends
			server.monitor.Round(ctx)
			if code != http.StatusOK {
				labels, err := server.create(t.Context())
				require.NoError(t, err, "a write goes on")
				assert.Empty(t, labels)
				if code == http.StatusForbidden {
					assert.Contains(t, server.message(), "writes go on without them")
				} else {
					assert.Empty(t, server.message(), "there are none that could apply")
				}
				behind.list.Store(http.StatusOK)
			}
			eventually.Holds(t, "the policies are read", func(a *eventually.Attempt) {
				server.monitor.Round(ctx)
				require.Empty(a, server.message())
			})
			eventually.Holds(t, "the policy is compiled", func(a *eventually.Attempt) {
				labels, err := server.create(a.Context())
				require.NoError(a, err)
				require.Equal(a, map[string]string{"from": "policy"}, labels)
			})
		})
	}
}

func TestWritesGoOnIfPoliciesMayBeListedButNotWatched(t *testing.T) {
	behind := &cluster{}
	behind.list.Store(http.StatusOK)
	behind.watch.Store(http.StatusForbidden)
	server := newPolicyServer(t, behind)
	server.monitor.Round(t.Context())
	server.monitor.Round(t.Context())
	_, err := server.create(t.Context())
	require.NoError(t, err)
}

func TestADisabledPlugInSaysThatPoliciesDoNotApply(t *testing.T) {
	requireSaidNotToApply(t, func(o *genericoptions.AdmissionOptions) { o.DisablePlugins = []string{"MutatingAdmissionPolicy"} })
}

func requireSaidNotToApply(t *testing.T, flags ...func(*genericoptions.AdmissionOptions)) {
	t.Helper()
	behind := &cluster{}
	behind.list.Store(http.StatusOK)
	behind.watch.Store(http.StatusOK)
	server := newPolicyServer(t, behind, flags...)
	server.monitor.Round(t.Context())
	require.Contains(t, server.message(), "1 MutatingAdmissionPolicies of the cluster match")
}
