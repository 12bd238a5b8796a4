//go:build long

package monitoring

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	artifact "github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/monitoring"
)

// behind is a server behind a kube-apiserver, and a Prometheus that watches both.
type behind struct {
	wire       *wire // between kube-apiserver and etcd
	kube       *harness.KubeAPIServer
	kubectl    *harness.Kubectl
	gate       *gate
	server     *harness.Server
	admin      *http.Client // of system:masters, to this server
	token      string       // of the service account crowd
	prometheus *prometheus
}

// TestAlertsOfAServerBehindKubeAPIServer produces the faults one after the other.
func TestAlertsOfAServerBehindKubeAPIServer(t *testing.T) {
	s := startBehind(t)
	s.prometheus.requireRests(t)
	for _, fault := range []struct {
		name    string
		produce func(*testing.T, *behind)
	}{
		{"every query of the dashboard returns data", testDashboard},
		{"kube-apiserver reviews slowly", testSlowReviews},
		{"kube-apiserver fails reviews", testFailedReviews},
		{"the clocks differ", testClocks},
		{"kube-apiserver cannot be reached", testUnreachable},
		{"a crowd sends more than its level of kube-apiserver takes", testCrowdAtKubeAPIServer},
	} {
		t.Run(fault.name, func(t *testing.T) { fault.produce(t, s) })
	}
}

func startBehind(t *testing.T) *behind {
	t.Helper()
	etcd := harness.StartEtcd(t, harness.EtcdOptions{})
	s := &behind{wire: newWire(t, strings.TrimPrefix(etcd.URL, "http://"))}
	slow := *etcd
	slow.URL = "http://" + s.wire.address
	s.kube = harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{Etcd: &slow})
	s.kubectl = s.kube.Kubectl(t)
	s.gate = newGate(t, s.kube)
	s.server = harness.StartServer(t, harness.ServerOptions{Etcd: etcd, Args: []string{"--etcd-prefix=/own", "--kubeconfig=" + s.gate.kubeconfig(t, s.kube)}})
	client, err := kubernetes.NewForConfig(s.kube.Config(t))
	require.NoError(t, err)
	eventually.Holds(t, "the namespace exists", func(a *eventually.Attempt) { // kube-apiserver is ready before
		_, err := client.CoreV1().Namespaces().Get(a.Context(), "default", metav1.GetOptions{})
		require.NoError(a, err)
	})
	s.kubectl.Run(t, "create", "serviceaccount", "crowd")
	s.token = strings.TrimSpace(s.kubectl.Run(t, "create", "token", "crowd"))

	// A certificate of system:masters is accepted while kube-apiserver is away.
	pair := s.kube.ClientCA.Client(t, "prometheus", "system:masters")
	s.admin = certified(t, pair)
	s.prometheus = startPrometheus(t, fmt.Sprintf("tls_config: {insecure_skip_verify: true, cert_file: %q, key_file: %q}", pair.CertFile, pair.KeyFile))
	s.prometheus.scrape(t, map[string][]string{
		serverJob: {strings.TrimPrefix(s.server.URL, "https://")}, kubeJob: {strings.TrimPrefix(s.kube.URL, "https://")},
	})
	s.prometheus.awaitUp(t, 2)
	return s
}

// create creates an object of this server.
func (s *behind) create(t *testing.T, resource, object string) {
	t.Helper()
	eventually.Holds(t, "the object is created", func(a *eventually.Attempt) {
		reply, err := harness.Send(a.Context(), s.admin, http.MethodPost, s.server.URL+strings.TrimSuffix(schemasPath, "flowschemas")+resource, object)
		require.NoError(a, err)
		require.Contains(a, []int{http.StatusCreated, http.StatusConflict}, reply.Code, reply.Body)
	})
}

// The level of the service account and of the user crowd, and its flow schema.
const (
	crowdLevel = `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration", "metadata": {"name": "crowd"},
		"spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 1, "borrowingLimitPercent": 0,
		"limitResponse": {"type": "Queue", "queuing": {"queues": 1, "handSize": 1, "queueLengthLimit": 5}}}}}`
	crowdSchema = `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": "crowd"},
		"spec": {"matchingPrecedence": 100, "priorityLevelConfiguration": {"name": "crowd"}, "rules": [{
		"subjects": [{"kind": "ServiceAccount", "serviceAccount": {"namespace": "default", "name": "crowd"}}, {"kind": "User", "user": {"name": "crowd"}}],
		"nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
		"resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": true, "namespaces": ["*"]}]}]}}`
	danglingSchema = `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": "probe", "labels": {"probe": "true"}},
		"spec": {"matchingPrecedence": 1000, "priorityLevelConfiguration": {"name": "nowhere"}}}`
)

// webhooks cannot be called. One fails closed and one open.
const webhooks = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: away}
webhooks:
- &webhook
  name: open.example.com
  failurePolicy: Ignore
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: {url: "https://127.0.0.1:1/"}
  objectSelector: {matchLabels: {probe: "true"}}
  rules: [{operations: [CREATE], apiGroups: [flowcontrol.apiserver.k8s.io], apiVersions: [v1], resources: [flowschemas]}]
- <<: *webhook
  name: closed.example.com
  failurePolicy: Fail
`

// testDashboard also produces the fault of the webhooks, since panels show it.
func testDashboard(t *testing.T, s *behind) {
	s.create(t, "prioritylevelconfigurations", crowdLevel)
	s.create(t, "flowschemas", crowdSchema)
	s.kubectl.RunInput(t, webhooks, "create", "-f", "-")
	s.gate.set(func(g *gate) { g.delay = 100 * time.Millisecond })
	stopCrowd := load(t, s.token, s.server.URL+schemasPath+"/$n", 20)
	stopWrites := repeat(t, s.admin, http.MethodPost, s.server.URL+schemasPath+"?dryRun=All", danglingSchema, 1)
	s.prometheus.requireFires(t, "FlowControlWebhookFails", "name", "open.example.com")
	s.prometheus.requireFires(t, "FlowControlWebhookFails", "name", "closed.example.com")
	variables := strings.NewReplacer("$job", ".*", "$instance", ".*", "$priority_level", ".*", "$__rate_interval", "20s")
	panels, err := artifact.Dashboard()
	require.NoError(t, err)
	for _, panel := range panels {
		for _, query := range panel.Targets {
			eventually.Holds(t, panel.Title+" has data", func(a *eventually.Attempt) {
				samples, err := s.prometheus.Query(a.Context(), variables.Replace(query.Expr))
				require.NoError(a, err)
				numbers := 0
				for _, sample := range samples {
					if !math.IsNaN(sample.Value) {
						numbers++
					}
				}
				require.Positive(a, numbers, query.Expr)
			})
		}
	}
	s.kubectl.Run(t, "delete", "validatingwebhookconfiguration", "away")
	stopWrites()
	stopCrowd()
	s.gate.set(func(g *gate) { g.delay = 0 })
	s.prometheus.requireRests(t)
}

func testSlowReviews(t *testing.T, s *behind) {
	s.gate.set(func(g *gate) { g.delay = 1500 * time.Millisecond })
	stop := load(t, s.token, s.server.URL+schemasPath+"/$n", 3)
	s.prometheus.requireFires(t, "FlowControlReviewsSlow", "review", "access")
	stop()
	s.gate.set(func(g *gate) { g.delay = 0 })
	s.prometheus.requireRests(t)
}

func testFailedReviews(t *testing.T, s *behind) {
	s.gate.set(func(g *gate) { g.failing = "subjectaccessreviews" })
	stop := load(t, s.token, s.server.URL+schemasPath+"/$n", 3)
	s.prometheus.requireFires(t, "FlowControlReviewsFail", "review", "access")
	s.prometheus.requireFires(t, "FlowControlUpstreamUnavailable", "check", "delegated-authorization")
	stop()
	s.gate.set(func(g *gate) { g.failing = "" })
	s.prometheus.requireRests(t)
}

func testClocks(t *testing.T, s *behind) {
	s.gate.set(func(g *gate) { g.ahead = time.Hour })
	s.prometheus.requireFires(t, "FlowControlUpstreamDegraded", "check", "clock")
	s.gate.set(func(g *gate) { g.ahead = 0 })
	s.prometheus.requireRests(t)
}

func testUnreachable(t *testing.T, s *behind) {
	s.gate.close()
	s.prometheus.requireFires(t, "FlowControlUpstreamUnavailable", "check", "kube-apiserver")
	s.gate.open(t)
	s.prometheus.requireRests(t)
}

// testCrowdAtKubeAPIServer requires that kube-apiserver has the metrics of the alerts that fit
// it, and that they fire for it.
func testCrowdAtKubeAPIServer(t *testing.T, s *behind) {
	s.kubectl.RunInput(t, crowdLevel, "create", "-f", "-")
	s.kubectl.RunInput(t, crowdSchema, "create", "-f", "-")
	s.kubectl.Run(t, "create", "clusterrole", "crowd", "--verb=get", "--resource=configmaps")
	s.kubectl.Run(t, "create", "clusterrolebinding", "crowd", "--clusterrole=crowd", "--user=crowd")
	// A request for one object reads it from etcd, and keeps its seat as long as that takes.
	s.wire.delay.Store(int64(500 * time.Millisecond))
	pair := s.kube.ClientCA.Client(t, "crowd")
	stop := repeat(t, certified(t, pair), http.MethodGet, s.kube.URL+"/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication", "", 30)
	s.prometheus.requireFires(t, "FlowControlLevelStarved", "job", kubeJob, "priority_level", "crowd")
	s.prometheus.requireFires(t, "FlowControlRequestsRejected", "job", kubeJob, "flow_schema", "crowd")
	for _, name := range []string{
		"apiserver_flowcontrol_priority_level_seat_utilization_count", "apiserver_flowcontrol_current_inqueue_requests",
		"apiserver_flowcontrol_request_wait_duration_seconds_bucket", "apiserver_flowcontrol_demand_seats_smoothed",
		"apiserver_flowcontrol_nominal_limit_seats", "apiserver_flowcontrol_current_limit_seats",
	} {
		samples, err := s.prometheus.Query(t.Context(), fmt.Sprintf("count(%s{job=%q})", name, kubeJob))
		require.NoError(t, err)
		assert.Len(t, samples, 1, name)
	}
	stop()
	s.wire.delay.Store(0)
	s.prometheus.requireRests(t)
}
