// Package recursion tests that this server and the kube-apiserver in front of it
// do not wait for each other.
//
// kube-apiserver passes a request on to this server and holds a seat for it until
// it is answered; this server asks kube-apiserver, as a service account, whether
// the user may do that, and who the bearer of a token is. By the suggested
// configuration, requests and reviews of service accounts all are of the level
// workload-low. Once requests that are passed on hold all seats of that level, no
// review gets one, no request is answered and none lets go of its seat. The
// FlowSchemas of artifacts/flowschemas take the reviews out of that level.
package recursion

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

const (
	basePath = "/apis/flowcontrol.apiserver.k8s.io/v1beta3"
	// level is that of service accounts.
	level = "workload-low"
	// oneSeat leaves one replica, in which service accounts have one seat: they
	// queue there too.
	oneSeat = `[
		{"op": "replace", "path": "/spec/replicas", "value": 1},
		{"op": "add", "path": "/spec/template/spec/containers/0/args/-", "value": "--max-requests-inflight=1"},
		{"op": "add", "path": "/spec/template/spec/containers/0/args/-", "value": "--max-mutating-requests-inflight=1"}]`
)

// site is a cluster with v1beta3 of one replica of this server. In both servers
// service accounts have few seats.
type site struct {
	*cluster.Cluster
	kubectl *harness.Kubectl
	pod     *cluster.Pod
	direct  *rest.Config // past kube-apiserver to the pod, without credentials
	users   []string     // their tokens
}

func startSite(t *testing.T) *site {
	t.Helper()
	c := cluster.StartBeside(t, cluster.Options{
		// 5 of these 12 seats are service accounts'.
		KubeAPIServerArgs: []string{"--max-requests-inflight=8", "--max-mutating-requests-inflight=4"},
	}, oneSeat)
	pod := c.Servers(t, 1)[0]
	s := &site{Cluster: c, kubectl: c.Kubectl(t), pod: pod, direct: c.Direct(t, pod)}
	s.bound(t)
	s.allow(t)
	return s
}

// bound keeps the level from borrowing seats, in both servers, as they have one
// store: what others lend would relieve a stall after the ten seconds in which
// limits are divided anew, until it is held by requests as well.
func (s *site) bound(t *testing.T) {
	t.Helper()
	s.kubectl.Run(t, "patch", "prioritylevelconfiguration", level, "--type=merge", "-p", `{
		"metadata": {"annotations": {"apf.kubernetes.io/autoupdate-spec": "false"}},
		"spec": {"limited": {"lendablePercent": 0, "borrowingLimitPercent": 0}}}`)
}

// allow makes the users, service accounts that may read flow schemas.
func (s *site) allow(t *testing.T) {
	t.Helper()
	s.kubectl.Run(t, "create", "clusterrole", "reader", "--verb=get", "--resource=flowschemas.flowcontrol.apiserver.k8s.io")
	s.kubectl.Run(t, "create", "clusterrolebinding", "reader", "--clusterrole=reader", "--group=system:serviceaccounts:default")
	accounts := s.Client.CoreV1().ServiceAccounts("default")
	for i := range users {
		name := fmt.Sprintf("user-%d", i)
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
		_, err := accounts.Create(t.Context(), account, metav1.CreateOptions{})
		require.NoError(t, err)
		token, err := accounts.CreateToken(t.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
		require.NoError(t, err)
		s.users = append(s.users, token.Status.Token)
	}
}

// aggregated is the way through kube-apiserver, without credentials.
func (s *site) aggregated(t *testing.T) *rest.Config {
	t.Helper()
	return rest.AnonymousClientConfig(s.Config(t))
}

// operator reaches this server past kube-apiserver with a certificate of
// system:masters, for whom nothing is reviewed.
func (s *site) operator(t *testing.T) *rest.Config {
	t.Helper()
	config := rest.CopyConfig(s.direct)
	pair := s.KubeAPIServer.ClientCA.Client(t, "operator", "system:masters")
	config.CertFile, config.KeyFile = pair.CertFile, pair.KeyFile
	return config
}

// answer is a response, read to its end.
type answer struct {
	code   int
	header http.Header
	body   string
	after  time.Duration
}

// ask sends one request and reads the answer.
func ask(ctx context.Context, config *rest.Config, method, path, body string) (answer, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return answer{}, err
	}
	begin := time.Now()
	reply, err := harness.Send(ctx, client, method, config.Host+path, body)
	return answer{reply.Code, reply.Header, reply.Body, time.Since(begin)}, err
}
