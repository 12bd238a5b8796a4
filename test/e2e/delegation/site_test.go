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
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// basePath is that of the version that is ours.
const basePath = "/apis/flowcontrol.apiserver.k8s.io/v1beta3"

// site is a cluster in which v1beta3 is this server's.
type site struct {
	*cluster.Cluster
	// owner is the test with which everything ends.
	owner   *testing.T
	kubectl *harness.Kubectl
	issuer  *issuer
	pod     *cluster.Pod
}

func startSite(t *testing.T) *site {
	t.Helper()
	issuer := newIssuer(t)
	c := cluster.StartBeside(t, cluster.Options{
		KubeAPIServerArgs: append(issuer.kubeAPIServerArgs(), "--requestheader-uid-headers=X-Remote-Uid"),
	})
	return &site{Cluster: c, owner: t, kubectl: c.Kubectl(t), issuer: issuer, pod: c.Servers(t, 3)[0]}
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

func (s *site) direct(t *testing.T) way {
	t.Helper()
	return way{"directly", s.Direct(t, s.pod)}
}

func (s *site) ways(t *testing.T) []way {
	t.Helper()
	return []way{s.aggregated(t), s.direct(t)}
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
