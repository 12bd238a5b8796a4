package source_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/util/cert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

const (
	slicesPath = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
	slicePath  = slicesPath + "/kubernetes"
)

func everything() source.Want {
	return source.Want{Levels: true, Queues: true, Requests: true, Metrics: true, Flows: true, Rejections: true}
}

// sliceOf returns a slice of the servers, whose addresses differ by their ports.
func sliceOf(t *testing.T, name string, servers ...*httptest.Server) string {
	t.Helper()
	ports := []string{`{"name":"other","port":1}`}
	for _, server := range servers {
		_, port, err := net.SplitHostPort(server.Listener.Addr().String())
		require.NoError(t, err)
		ports = append(ports, `{"name":"https","port":`+port+`,"protocol":"TCP"}`)
	}
	return fmt.Sprintf(`{"kind":"EndpointSlice","apiVersion":"discovery.k8s.io/v1","metadata":{"name":%q,"labels":{"kubernetes.io/service-name":"kubernetes"}},"addressType":"IPv4",`+
		`"endpoints":[{"addresses":["127.0.0.1"],"conditions":{"ready":true}}],"ports":[%s]}`, name, strings.Join(ports, ","))
}

// endpointSlice is the answer of the slice that kube-apiserver writes.
func endpointSlice(t *testing.T, servers ...*httptest.Server) answer {
	t.Helper()
	return ok(sliceOf(t, "kubernetes", servers...))
}

// unreachable is a server that does not speak TLS.
func unreachable(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	return server
}

func nameOf(server *httptest.Server) string { return "https://" + server.Listener.Addr().String() }

func TestEachReplicaIsRead(t *testing.T) {
	first := startServer(t, standardAnswers(t, "1.33"))
	second := startServer(t, standardAnswers(t, "1.33"))
	second.answers[debugPath+"dump_queues"] = ok("PriorityLevelName, Index, PendingRequests\nsystem, 3, 1\n")
	first.answers[slicePath] = endpointSlice(t, first.Server, second.Server)

	states := replicasOf(t, 2, source.Options{Cluster: clusterOf(t, first.Server)}, source.Want{Queues: true, Metrics: true})
	waiting := map[string]int{}
	for _, state := range states {
		assert.Empty(t, state.Missing)
		assert.False(t, state.Away)
		assert.Equal(t, now(), state.Read)
		assert.Equal(t, now(), state.Taken)
		assert.Equal(t, new(74), state.Metrics.Levels["system"].Nominal)
		assert.Empty(t, state.Levels, "not wanted")
		waiting[state.Name] = state.Queues[0].Waiting
	}
	assert.Equal(t, map[string]int{nameOf(first.Server): 7, nameOf(second.Server): 1}, waiting)
	request := second.requestsOf("/metrics")[0]
	assert.Equal(t, "Bearer secret", request.Header.Get("Authorization"))
	assert.Equal(t, "example.com", request.TLS.ServerName, "the kubeconfig's")
	assert.Empty(t, second.requestsOf(debugPath+"dump_requests"))
}

// The certificate of a replica names the load balancer, not the replica's address.
func TestReplicasHaveTheServerNameOfTheKubeconfig(t *testing.T) {
	ca, key, err := cert.GenerateSelfSignedCertKey("localhost", nil, nil)
	require.NoError(t, err)
	pair, err := tls.X509KeyPair(ca, key)
	require.NoError(t, err)
	first := startServerWith(t, standardAnswers(t, "1.33"), []tls.Certificate{pair})
	second := startServerWith(t, standardAnswers(t, "1.33"), []tls.Certificate{pair})
	first.answers[slicePath] = endpointSlice(t, first.Server, second.Server)
	_, port, err := net.SplitHostPort(first.Listener.Addr().String())
	require.NoError(t, err)

	states := replicasOf(t, 2, source.Options{Cluster: clusterAt(t, "https://localhost:"+port, "", ca)}, source.Want{Levels: true})
	for _, state := range states {
		assert.Empty(t, state.Missing)
	}
	assert.Equal(t, "localhost", second.requestsOf(debugPath + "dump_priority_levels")[0].TLS.ServerName)
}

func TestRequestsAreReadWithDetails(t *testing.T) {
	server := startServer(t, standardAnswers(t, "1.33"))
	states, err := newSource(t, source.Options{Cluster: clusterOf(t, server.Server)}).Replicas(t.Context(), source.Want{Requests: true})
	require.NoError(t, err)
	assert.Equal(t, "node1", states[0].Requests[0].User)
	assert.Equal(t, "includeRequestDetails=1", server.requestsOf(debugPath + "dump_requests")[0].URL.RawQuery)
}

func TestOtherReplicasGoOnWithoutOne(t *testing.T) {
	server, away := startServer(t, standardAnswers(t, "1.33")), unreachable(t)
	server.answers[slicePath] = endpointSlice(t, server.Server, away)
	states := replicasOf(t, 2, source.Options{Cluster: clusterOf(t, server.Server)}, source.Want{Levels: true, Queues: true})
	for _, state := range states {
		if state.Name == nameOf(server.Server) {
			assert.False(t, state.Away)
			assert.Len(t, state.Levels, 1)
			continue
		}
		assert.True(t, state.Away)
		require.Len(t, state.Missing, 1)
		assert.Contains(t, state.Missing[0].Why, nameOf(away)+" cannot be reached: ")
	}
}

func TestReplicaBehindTheLoadBalancerIsReadIfNoAddressCanBeReached(t *testing.T) {
	server := startServer(t, standardAnswers(t, "1.33"))
	server.answers[slicePath] = endpointSlice(t, unreachable(t), unreachable(t))
	states := replicasOf(t, 1, source.Options{Cluster: clusterOf(t, server.Server)}, source.Want{Levels: true})
	assert.Len(t, states[0].Levels, 1)
	assert.Contains(t, whys(states[0].Missing), "None of the 2 addresses of the API server can be reached from here: these are the figures of the one replica behind "+server.URL)
}

func TestOneServerAlone(t *testing.T) {
	for _, c := range []struct {
		name    string
		slice   answer
		missing string
	}{
		{"without EndpointSlices, as flowcontrol-apiserver", rejection(http.StatusNotFound, "NotFound", "not found"), ""},
		{"with no endpoint", ok(`{}`), ""},
		{"with an endpoint that is not ready", ok(`{"endpoints":[{"addresses":["192.0.2.1","192.0.2.2"],"conditions":{"ready":false}}],"ports":[{"port":6443}]}`), ""},
		{"with one endpoint", ok(`{"endpoints":[{"addresses":["192.0.2.1"]}],"ports":[{"port":6443}]}`), ""},
		{"without the right to find others", forbidden(), `the permission "get" on endpointslices.discovery.k8s.io in the namespace "default" is missing. --server URL, repeated, names the replicas.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := startServer(t, standardAnswers(t, "1.33"))
			server.answers[slicePath] = c.slice
			states := replicasOf(t, 1, source.Options{Cluster: clusterOf(t, server.Server)}, source.Want{Levels: true})
			assert.Equal(t, server.URL, states[0].Name)
			assert.Len(t, states[0].Levels, 1)
			if c.missing == "" {
				assert.Empty(t, states[0].Missing)
				return
			}
			assert.Contains(t, whys(states[0].Missing), c.missing)
		})
	}
}

// TestCredentialsGoOnlyToNamedServers: whoever may create EndpointSlices named an address, and it got
// the token of an administrator who does not verify certificates.
func TestCredentialsGoOnlyToNamedServers(t *testing.T) {
	read := func(t *testing.T, server *apiServer, cluster genericclioptions.RESTClientGetter, servers ...string) []replica.Replica {
		t.Helper()
		states := replicasOf(t, max(1, len(servers)), source.Options{Cluster: cluster, Servers: servers}, source.Want{Levels: true})
		require.NotEmpty(t, server.requestsOf(debugPath+"dump_priority_levels"))
		return states
	}
	t.Run("and not to those of a slice that somebody made", func(t *testing.T) {
		server, stranger := startServer(t, standardAnswers(t, "1.33")), startServer(t, standardAnswers(t, "1.33"))
		server.answers[slicePath] = endpointSlice(t, server.Server)
		server.answers[slicesPath] = ok(`{"kind":"EndpointSliceList","apiVersion":"discovery.k8s.io/v1","items":[` +
			sliceOf(t, "kubernetes", server.Server) + "," + sliceOf(t, "kubernetes-x", stranger.Server) + `]}`)
		assert.Empty(t, read(t, server, clusterOf(t, server.Server))[0].Missing)
		assert.Empty(t, stranger.all())
	})
	t.Run("and to no address of the cluster if certificates are not verified", func(t *testing.T) {
		server, stranger := startServer(t, standardAnswers(t, "1.33")), startServer(t, standardAnswers(t, "1.33"))
		server.answers[slicePath] = endpointSlice(t, server.Server, stranger.Server)
		states := read(t, server, unverified(t, server.URL))
		assert.Equal(t, server.URL, states[0].Name)
		assert.Contains(t, whys(states[0].Missing), "credentials are sent to no address that the cluster names. --server URL, repeated, names the replicas.")
		assert.Empty(t, stranger.all())
		read(t, server, unverified(t, server.URL), server.URL, stranger.URL)
		assert.Equal(t, "Bearer secret", stranger.all()[0].Header.Get("Authorization"), "--server names it")
	})
	t.Run("and to none without the certificate of the server", func(t *testing.T) {
		server := startServer(t, standardAnswers(t, "1.33"))
		ca, key, err := cert.GenerateSelfSignedCertKey("example.com", nil, nil)
		require.NoError(t, err)
		pair, err := tls.X509KeyPair(ca, key)
		require.NoError(t, err)
		stranger := startServerWith(t, standardAnswers(t, "1.33"), []tls.Certificate{pair})
		server.answers[slicePath] = endpointSlice(t, server.Server, stranger.Server)
		replicasOf(t, 2, source.Options{Cluster: clusterOf(t, server.Server)}, source.Want{Levels: true})
		assert.Empty(t, stranger.all())
	})
	t.Run("and not to one that a server redirects to", func(t *testing.T) {
		server, stranger := startServer(t, standardAnswers(t, "1.33")), startServer(t, standardAnswers(t, "1.33"))
		delete(server.answers, debugPath+"dump_priority_levels")
		server.redirects = map[string]string{
			debugPath + "dump_priority_levels": stranger.URL + debugPath + "dump_priority_levels",
			debugPath + "dump_queues":          server.URL + debugPath + "dump_requests",
		}
		states, err := newSource(t, source.Options{Cluster: clusterOf(t, server.Server)}).Replicas(t.Context(), source.Want{Queues: true})
		require.NoError(t, err)
		assert.Empty(t, states[0].Missing, "the same server")
		_, err = newSource(t, source.Options{Cluster: clusterOf(t, server.Server)}).Replicas(t.Context(), source.Want{Levels: true})
		require.ErrorContains(t, err, "it redirects to "+stranger.URL+", which gets no credentials")
		assert.Empty(t, stranger.all())
	})
}

func TestEndpointThatCannotBeReadIsMissing(t *testing.T) {
	server := startServer(t, standardAnswers(t, "1.33"))
	server.answers[debugPath+"dump_queues"] = forbidden()
	server.answers[debugPath+"dump_requests"] = rejection(http.StatusNotFound, "NotFound", "not found")
	states := replicasOf(t, 1, source.Options{Cluster: clusterOf(t, server.Server)}, everything())
	assert.Len(t, states[0].Levels, 1)
	assert.Equal(t, []replica.Missing{
		{What: debugPath + "dump_queues", Why: server.URL + ` forbids it: the permission "get" on the nonResourceURL "` + debugPath + `dump_queues" is missing.`},
		{What: debugPath + "dump_requests", Why: server.URL + " does not serve it: flow control is turned off there."},
		{What: debugPath + "top_flows", Why: server.URL + " does not serve it: only flowcontrol-apiserver does."},
		{What: debugPath + "rejections", Why: server.URL + " does not serve it: only flowcontrol-apiserver does."},
	}, states[0].Missing)
}

func TestGivenServersAreTheReplicas(t *testing.T) {
	first := startServer(t, standardAnswers(t, "1.33"))
	second := startServer(t, standardAnswers(t, "1.33"))
	other := startServer(t, standardAnswers(t, "1.36"))
	s := newSource(t, source.Options{Cluster: clusterOf(t, other.Server), Servers: []string{first.URL, second.URL, "https://" + unreachable(t).Listener.Addr().String()}})
	states, err := s.Replicas(t.Context(), source.Want{Levels: true})
	require.NoError(t, err)
	assert.Len(t, states, 3)
	assert.Empty(t, first.requestsOf(slicePath))
	c, err := s.Configuration(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, "1.33", c.Release, "the first server's")
	assert.Empty(t, other.requestsOf("/version"))
}

func TestAllReplicasAwayIsAnError(t *testing.T) {
	away := unreachable(t)
	server := startServer(t, nil)
	t.Run("of given servers", func(t *testing.T) {
		_, err := newSource(t, source.Options{Cluster: clusterOf(t, server.Server), Servers: []string{nameOf(away), nameOf(away)}}).
			Replicas(t.Context(), source.Want{Levels: true})
		require.Error(t, err)
		assert.Contains(t, err.Error(), "None of the 2 servers can be reached. "+nameOf(away)+" cannot be reached: ")
	})
	t.Run("of the kubeconfig's server", func(t *testing.T) {
		s := newSource(t, source.Options{Cluster: kubeconfig(t, fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c",
			"contexts":[{"name":"c","context":{"cluster":"c"}}],"clusters":[{"name":"c","cluster":{"server":%q}}]}`, nameOf(away)))})
		_, err := s.Replicas(t.Context(), source.Want{Levels: true})
		require.Error(t, err)
		_, err = s.Configuration(t.Context())
		require.Error(t, err)
		assert.Contains(t, err.Error(), nameOf(away)+" cannot be reached: ")
		_, err = s.Facts(t.Context())
		require.Error(t, err)
	})
}
