package conformance

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// prefix is below what both servers keep their objects.
	prefix = "/registry/"
	// padding is a key that no server reads; writing it raises the revision.
	padding = "/padding"
)

// side is one of the two servers, the ways to it, and the etcd of its objects.
type side struct {
	name   string
	url    string
	config *rest.Config
	http   *http.Client
	etcd   *clientv3.Client
	// inBeta: it is asked in v1beta3 what others are asked in v1.
	inBeta bool
}

// pair is this server and its peer, each on an etcd that holds the same.
type pair struct {
	ours, peer *side
	// differences are those of the peer that are meant.
	differences []difference
	// same: the peer is this server too, reached in another way.
	same bool
	// original is what both etcds held at first, by key.
	original map[string]string
}

// quiet is a test whose servers' output is attached only if they do not start:
// an answer that differs is explained by the answers.
type quiet struct {
	*testing.T
	started bool
}

var _ harness.TB = (*quiet)(nil)

// Failed tells the harness whether to attach the output.
func (q *quiet) Failed() bool { return !q.started && q.T.Failed() }

// startPair starts both servers on etcds that hold the same objects, byte for
// byte, under the same revisions. This server makes them; a server that found
// anything to write in them would be noticed by the next align. The flags are given
// to both, after the usual ones.
func startPair(t *testing.T, flags ...string) *pair {
	t.Helper()
	owner := &quiet{T: t}
	oursEtcd, peerEtcd := harness.StartEtcd(owner, harness.EtcdOptions{}), harness.StartEtcd(owner, harness.EtcdOptions{})
	p := &pair{
		ours:        &side{name: "this server", etcd: oursEtcd.Client(t)},
		peer:        &side{name: "kube-apiserver", etcd: peerEtcd.Client(t)},
		differences: differences(),
	}
	common := slices.Concat(still(), flags)
	ours := harness.StartServer(owner, harness.ServerOptions{Etcd: oursEtcd, Args: slices.Concat(common, []string{"--etcd-prefix=/registry"})})
	p.original = p.ours.stored(t)
	p.restore(t)
	startAgain(owner, ours)

	group := "flowcontrol.apiserver.k8s.io/"
	peer := harness.StartKubeAPIServer(owner, harness.KubeAPIServerOptions{
		Etcd: harness.StartEtcd(owner, harness.EtcdOptions{}),
		Args: slices.Concat(common, []string{"--etcd-servers-overrides=" + group + "flowschemas#" + peerEtcd.URL + "," +
			group + "prioritylevelconfigurations#" + peerEtcd.URL}),
	})
	p.ours.connect(t, ours.URL, ours.Config(t))
	p.peer.connect(t, peer.URL, peer.Config(t))
	owner.started = true
	return p
}

// startAgain starts servers again on what both stores hold at one revision: what was
// before is in no cache.
func startAgain(owner *quiet, servers ...*harness.Server) {
	owner.Helper()
	for _, server := range servers {
		server.Stop(owner)
		server.Start(owner)
	}
}

// still are the flags of servers that write nothing but what requests ask for: no
// compaction, no conditions of an engine.
func still() []string {
	return []string{"--etcd-compaction-interval=0", "--enable-priority-and-fairness=false", "--feature-gates=WatchList=true"}
}

func (s *side) connect(t *testing.T, url string, config *rest.Config) {
	t.Helper()
	// What is compressed is said by the cases.
	config.DisableCompression = true
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	s.url, s.config, s.http = url, config, client
}

// sides are this server and its peer, in this order.
func (p *pair) sides() []*side { return []*side{p.ours, p.peer} }

// stored is what etcd holds for the server, by key.
func (s *side) stored(t *testing.T) map[string]string {
	t.Helper()
	response, err := s.etcd.Get(t.Context(), prefix, clientv3.WithPrefix())
	require.NoError(t, err)
	found := map[string]string{}
	for _, pair := range response.Kvs {
		found[string(pair.Key)] = string(pair.Value)
	}
	return found
}

// revision is that of the etcd: it stands still while nothing is written.
func (s *side) revision(t *testing.T) int64 {
	t.Helper()
	response, err := s.etcd.Get(t.Context(), padding)
	require.NoError(t, err)
	return response.Header.Revision
}

// restore makes both etcds hold what they held at first, under the same
// revisions, and leaves them at the same revision.
func (p *pair) restore(t *testing.T) {
	t.Helper()
	p.align(t)
	for _, s := range p.sides() {
		for key := range s.stored(t) {
			if _, kept := p.original[key]; !kept {
				_, err := s.etcd.Delete(t.Context(), key)
				require.NoError(t, err)
			}
		}
	}
	p.align(t)
	for _, key := range sortedKeys(p.original) {
		if p.untouched(t, key) {
			continue
		}
		for _, s := range p.sides() {
			_, err := s.etcd.Put(t.Context(), key, p.original[key])
			require.NoError(t, err)
		}
	}
}

// untouched tells whether both etcds hold under the key what they held at
// first, and of one revision.
func (p *pair) untouched(t *testing.T, key string) bool {
	t.Helper()
	var revisions []int64
	for _, s := range p.sides() {
		response, err := s.etcd.Get(t.Context(), key)
		require.NoError(t, err)
		if len(response.Kvs) == 0 || string(response.Kvs[0].Value) != p.original[key] {
			return false
		}
		revisions = append(revisions, response.Kvs[0].ModRevision)
	}
	return revisions[0] == revisions[1]
}

// align raises the lower revision to the higher one. From then on equal writes
// give objects equal versions, which need no translation.
func (p *pair) align(t *testing.T) int64 {
	t.Helper()
	ours, peer := p.ours.revision(t), p.peer.revision(t)
	p.ours.raise(t, max(0, peer-ours))
	p.peer.raise(t, max(0, ours-peer))
	return max(ours, peer)
}

func (s *side) raise(t *testing.T, by int64) {
	t.Helper()
	for range by {
		_, err := s.etcd.Put(t.Context(), padding, "")
		require.NoError(t, err)
	}
}

// compact has both etcds forget all versions but the latest.
func (p *pair) compact(t *testing.T) {
	t.Helper()
	for _, s := range p.sides() {
		_, err := s.etcd.Compact(t.Context(), s.revision(t), clientv3.WithCompactPhysical())
		require.NoError(t, err)
	}
}

// open sends a request and returns the response with its body still to read.
func (s *side) open(ctx context.Context, method, path, body string, headers http.Header) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = headers
	return s.http.Do(request)
}
