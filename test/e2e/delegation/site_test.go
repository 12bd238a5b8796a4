// Package delegation tests what this server leaves to the kube-apiserver in
// front of it: who a user is, what he may do, and which webhooks and policies
// his objects meet. A real kube-apiserver, with the server deployed from
// artifacts/, is asked through the aggregator and past it.
package delegation

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

const (
	// basePath is that of the version that is ours.
	basePath = "/apis/flowcontrol.apiserver.k8s.io/v1beta3"
	// serverPort is the container's port, by artifacts/base.
	serverPort = 7443
)

// site is a cluster in which v1beta3 is this server's.
type site struct {
	*cluster.Cluster
	// owner is the test with which everything ends.
	owner   *testing.T
	kubectl *harness.Kubectl
	issuer  *issuer
	pod     *cluster.Pod
	// serving signed the server's certificate.
	serving []byte
}

func startSite(t *testing.T) *site {
	t.Helper()
	authority := harness.NewCA(t, "etcd-ca")
	etcd := harness.StartEtcd(t, harness.EtcdOptions{CA: authority})
	issuer := newIssuer(t)
	c := cluster.Start(t, cluster.Options{
		Etcd:    etcd,
		Rewrite: []string{"https://127.0.0.1:2379", etcd.URL},
		KubeAPIServerArgs: append(issuer.kubeAPIServerArgs(),
			"--requestheader-uid-headers=X-Remote-Uid"),
	})
	c.Apply(t, "overlays/v1beta3-beside")
	c.ShareEtcd(t, authority)
	c.MakeCertificates(t)
	c.WaitRollout(t)
	c.WaitAPIService(t, "v1beta3.flowcontrol.apiserver.k8s.io")
	secret, err := c.Client.CoreV1().Secrets(cluster.Namespace).Get(t.Context(), "flowcontrol-apiserver-serving", metav1.GetOptions{})
	require.NoError(t, err)
	return &site{Cluster: c, owner: t, kubectl: c.Kubectl(t), issuer: issuer, pod: c.Servers(t, 3)[0], serving: secret.Data["ca.crt"]}
}

// way is one of the two ways to the server.
type way struct {
	name string
	// config reaches the server this way, with no credentials.
	config *rest.Config
}

func (s *site) aggregated(t *testing.T) way {
	t.Helper()
	return way{"through the aggregator", rest.AnonymousClientConfig(s.Config(t))}
}

func (s *site) direct() way {
	return way{"directly", &rest.Config{
		Host: "https://" + s.pod.Address(serverPort),
		TLSClientConfig: rest.TLSClientConfig{
			CAData:     s.serving,
			ServerName: "flowcontrol-apiserver.flowcontrol-system.svc",
		},
	}}
}

func (s *site) ways(t *testing.T) []way {
	t.Helper()
	return []way{s.aggregated(t), s.direct()}
}

// as adds credentials to a way.
func (w way) as(credentials ...credential) *rest.Config {
	config := rest.CopyConfig(w.config)
	config.QPS = -1
	for _, c := range credentials {
		c(config)
	}
	return config
}

// answer is a response, read to its end.
type answer struct {
	code int
	body string
}

// send sends one request; headers are "Name: value".
func send(t *testing.T, config *rest.Config, method, path, body string, headers ...string) answer {
	t.Helper()
	result, err := trySend(t.Context(), config, method, path, body, headers...)
	require.NoError(t, err, "%s %s", method, path)
	return result
}

func trySend(ctx context.Context, config *rest.Config, method, path, body string, headers ...string) (answer, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return answer{}, err
	}
	reply, err := harness.Send(ctx, client, method, config.Host+path, body, headers...)
	return answer{reply.Code, reply.Body}, err
}

// eventually waits until a request is answered so.
func eventually(t *testing.T, what string, look func() bool) {
	t.Helper()
	cluster.Eventually(t, what, func(context.Context) error {
		if !look() {
			return errors.New("not yet")
		}
		return nil
	})
}
