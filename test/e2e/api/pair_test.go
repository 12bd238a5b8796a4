package api

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/described"
)

const (
	// prefix is the etcd prefix of both servers.
	prefix = "/registry/"
	// padding is a key that no server reads. Writing it increases the revision.
	padding = "/padding"
)

// side is one of the two servers, its clients, and the etcd of its objects.
type side struct {
	name   string
	url    string
	config *rest.Config
	http   *http.Client
	etcd   *clientv3.Client
	// inBeta: requests for v1 are sent in v1beta3.
	inBeta bool
}

// pair is this server and its peer, on etcds with the same content.
type pair struct {
	ours, peer *side
	// differences are the intended differences.
	differences []difference
	// emulated: the peer is a kube-apiserver that emulates 1.31 and serves v1beta3 too.
	emulated bool
	// original is the initial content of both etcds, by key.
	original map[string]string
}

// quiet is a test that attaches the output of servers only if they do not start:
// the answers explain other failures.
type quiet struct {
	*testing.T
	started bool
}

var _ harness.TB = (*quiet)(nil)

// Failed reports whether the harness attaches the output.
func (q *quiet) Failed() bool { return !q.started && q.T.Failed() }

// startPair starts both servers on etcds with the same objects, byte for byte, at
// the same revisions. This server creates the objects. If a server changed any of
// them, the next align would detect it.
func startPair(t *testing.T) *pair {
	t.Helper()
	owner := &quiet{T: t}
	oursEtcd, peerEtcd := harness.StartEtcd(owner, harness.EtcdOptions{}), harness.StartEtcd(owner, harness.EtcdOptions{})
	p := &pair{
		ours:        &side{name: "this server", etcd: oursEtcd.Client(t)},
		peer:        &side{name: "kube-apiserver", etcd: peerEtcd.Client(t)},
		differences: allDifferences(),
	}
	ours := harness.StartServer(owner, harness.ServerOptions{Etcd: oursEtcd, Args: append(still(), "--etcd-prefix=/registry")})
	p.original = p.ours.stored(t)
	p.restore(t)
	// No cache holds earlier revisions.
	ours.Stop(owner)
	ours.Start(owner)

	p.ours.connect(t, ours.URL, ours.Config(t))
	// /statusz and /flagz are behind gates in 1.33, and always there since 1.36 and here.
	p.startPeer(t, owner, "", peerEtcd, append(still(), "--feature-gates=ComponentStatusz=true,ComponentFlagz=true"))
	owner.started = true
	return p
}

// startPeer starts the kube-apiserver of the pair, with its objects in the etcd. The program is
// a path, or empty for the one of the release under test.
func (p *pair) startPeer(t *testing.T, owner *quiet, program string, etcd *harness.Etcd, flags []string) {
	t.Helper()
	const group = "flowcontrol.apiserver.k8s.io/"
	peer := harness.StartKubeAPIServer(owner, harness.KubeAPIServerOptions{
		Program: program,
		Etcd:    harness.StartEtcd(owner, harness.EtcdOptions{}),
		Args: slices.Concat(flags, []string{"--etcd-servers-overrides=" + group + "flowschemas#" + etcd.URL + "," +
			group + "prioritylevelconfigurations#" + etcd.URL}),
	})
	p.peer.connect(t, peer.URL, peer.Config(t))
}

// besideEmulated returns a pair of the same process of this server and a kube-apiserver 1.33, the
// last release that can emulate 1.31 and so serve v1beta3.
func (p *pair) besideEmulated(t *testing.T) *pair {
	t.Helper()
	owner := &quiet{T: t}
	etcd := harness.StartEtcd(owner, harness.EtcdOptions{})
	beside := &pair{
		ours: p.ours, peer: &side{name: "kube-apiserver with --emulated-version=1.31", etcd: etcd.Client(t)},
		differences: allDifferences(), original: p.original, emulated: true,
	}
	beside.restore(t)
	last := harness.Program(t, binaries.KubeAPIServerOf(binaries.KubernetesVersion))
	beside.startPeer(t, owner, last, etcd, append(still(), "--emulated-version=1.31", "--runtime-config=flowcontrol.apiserver.k8s.io/v1beta3=true"))
	owner.started = true
	return beside
}

// still returns the flags of servers that write only on request: no compaction, no
// conditions of the engine.
func still() []string {
	return []string{"--etcd-compaction-interval=0", "--enable-priority-and-fairness=false", "--feature-gates=WatchList=true"}
}

func (s *side) connect(t *testing.T, url string, config *rest.Config) {
	t.Helper()
	// The cases request compression themselves.
	config.DisableCompression = true
	described.Judge(t, config)
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s.url, s.config, s.http = url, config, client
}

// sides returns this server and its peer, in this order.
func (p *pair) sides() []*side { return []*side{p.ours, p.peer} }

// stored returns the server's data in etcd, by key.
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

// revision returns the revision of the etcd. It changes with each write.
func (s *side) revision(t *testing.T) int64 {
	t.Helper()
	response, err := s.etcd.Get(t.Context(), padding)
	require.NoError(t, err)
	return response.Header.Revision
}

// restore restores the initial content of both etcds. Each key has the same
// revision in both, and both end at the same revision.
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
	for _, key := range slices.Sorted(maps.Keys(p.original)) {
		if p.untouched(t, key) {
			continue
		}
		for _, s := range p.sides() {
			_, err := s.etcd.Put(t.Context(), key, p.original[key])
			require.NoError(t, err)
		}
	}
}

// untouched reports whether both etcds hold the initial value of the key, at the
// same revision.
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

// align increases the lower revision to the higher one. After that equal writes
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

// open sends a request and returns the response with an unread body.
func (s *side) open(ctx context.Context, method, path, body string, headers http.Header) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = headers
	return s.http.Do(request)
}
