package chaos_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/chaos"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

const (
	// requestTimeout is how long a client waits for an answer. Servers answer in half
	// of it.
	requestTimeout = 10 * time.Second
	// certificateAge is how long ago the servers made their certificates, which are invalid
	// for clocks before that.
	certificateAge = 60 * 24 * time.Hour
	storePrefix    = "/registry/flowcontrol.apiserver.k8s.io"
)

// shape is what runs, and what befalls it.
type shape struct {
	name string
	// servers and members are how many there are. Without members, the server has its embedded etcd.
	servers, members int
	kinds            []chaos.Kind
	faults           int // at least
}

// shapes returns what this lane breaks. The wrong clock of the long lane is in a program of its own.
func shapes() []shape {
	if *operations > 0 {
		return []shape{allKinds()}
	}
	return lane.Pick(
		[]shape{
			{"one server with the embedded etcd", 1, 0, []chaos.Kind{chaos.KillServer, chaos.Roll}, 3},
			{"two servers on one etcd", 2, 1, []chaos.Kind{chaos.KillServer, chaos.KillMember, chaos.Roll}, 4},
		},
		[]shape{
			allKinds(),
			{"one server with the embedded etcd", 1, 0, []chaos.Kind{chaos.KillServer, chaos.PauseServer, chaos.SetClock, chaos.Compact, chaos.Roll}, *faults / 2},
		})
}

func allKinds() shape {
	return shape{"three servers on three members of etcd", 3, 3, chaos.Kinds(), *faults}
}

// site is what runs.
type site struct {
	members  []*harness.Etcd
	ids      []string           // of members
	admins   []*clientv3.Client // of each member
	store    *clientv3.Client   // of all members
	peers    []*chaos.Link      // before each member, for the others
	replicas []*replica
}

// replica is a server.
type replica struct {
	*harness.Server
	api    chaos.Client
	client versioned.Interface
	http   *http.Client   // without a timeout
	clock  *harness.Clock // nil if the program has none that can be set
	links  []*chaos.Link  // to each member
	// proxies are behind the links, before each member.
	proxies []*traffic.EtcdProxy
	// suspectUntil is until when clients avoid the server, as a load balancer does
	// after a failure: nanoseconds since the start of the run.
	suspectUntil atomic.Int64
	// life counts starts. served is the last start after which a request was answered.
	life, served atomic.Int64
}

func newLink(t *testing.T, target string) *chaos.Link {
	t.Helper()
	link := chaos.NewLink(ports.Listen(t), target)
	t.Cleanup(link.Close)
	return link
}

func startSite(t *testing.T, shape shape) *site {
	t.Helper()
	s := &site{}
	if shape.members > 0 {
		s.members = harness.StartEtcdCluster(t, shape.members, func(_ int, listens string) string {
			link := newLink(t, listens)
			s.peers = append(s.peers, link)
			return link.Address()
		}, "--grpc-keepalive-min-time=1s")
		s.connect(t)
	}
	for range shape.servers {
		s.replicas = append(s.replicas, s.startReplica(t))
	}
	return s
}

// connect makes clients of etcd that do not go through links.
func (s *site) connect(t *testing.T) {
	t.Helper()
	var urls []string
	for _, member := range s.members {
		urls = append(urls, member.URL)
		s.admins = append(s.admins, member.Client(t))
	}
	var err error
	s.store, err = clientv3.New(clientv3.Config{
		Endpoints: urls, DialTimeout: requestTimeout, DialKeepAliveTime: 2 * time.Second, DialKeepAliveTimeout: 2 * time.Second,
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.store.Close() })
	list, err := s.admins[0].MemberList(t.Context())
	require.NoError(t, err)
	s.ids = make([]string, len(s.members))
	for _, member := range list.Members {
		var number int
		_, err := fmt.Sscanf(member.Name, "member-%d", &number)
		require.NoError(t, err)
		s.ids[number] = fmt.Sprintf("%x", member.ID)
	}
}

func (s *site) startReplica(t *testing.T) *replica {
	t.Helper()
	r := &replica{}
	var addresses []string
	for _, member := range s.members {
		proxy := traffic.StartEtcdProxy(t, member.URL)
		r.proxies = append(r.proxies, proxy)
		link := newLink(t, strings.TrimPrefix(proxy.URL, "http://"))
		r.links = append(r.links, link)
		addresses = append(addresses, "http://"+link.Address())
	}
	args := []string{"--etcd-prefix=" + storePrefix}
	if len(addresses) > 0 {
		args = append(args, "--etcd-servers="+strings.Join(addresses, ","))
	}
	r.Server = harness.StartServer(t, r.options(t, args))
	if r.clock != nil {
		r.clock.Set(t, 0)
	}
	if s.store == nil {
		s.store = r.Store(t)
	}
	config := r.Config(t)
	config.WarningHandler = rest.NoWarnings{} // that a level does not exist
	var err error
	r.client, err = versioned.NewForConfig(config)
	require.NoError(t, err)
	r.http, err = rest.HTTPClientFor(config)
	require.NoError(t, err)
	timed := rest.CopyConfig(config)
	timed.Timeout = requestTimeout
	client, err := rest.HTTPClientFor(timed)
	require.NoError(t, err)
	r.api = chaos.Client{URL: r.URL, HTTP: client}
	r.life.Store(1)
	return r
}

// options returns the options of a server of this project. In the long lane, unless the test is told a
// program, the clock of the server can be set.
func (r *replica) options(t *testing.T, args []string) harness.ServerOptions {
	t.Helper()
	if *program != "" || !lane.Long {
		return harness.ServerOptions{Program: *program, Args: args}
	}
	r.clock = harness.NewClock(t)
	r.clock.Set(t, -certificateAge)
	return harness.ServerOptions{Program: harness.Program(t, binaries.WrongClock), Args: args, Env: []string{r.clock.Env()}}
}

// restart launches the process of a server again.
func (r *replica) restart(t *testing.T) {
	t.Helper()
	r.life.Add(1)
	r.Launch(t)
}

// hasServed reports whether the present process has answered a request.
func (r *replica) hasServed() bool { return r.served.Load() == r.life.Load() }

// cut cuts a server from etcd.
func (r *replica) cut() {
	for _, link := range r.links {
		link.Cut(chaos.Everyone)
	}
}

// heal ends the cut.
func (r *replica) heal() {
	for _, link := range r.links {
		link.Mend(chaos.Everyone)
	}
}

// cutPeers cuts two members of etcd from each other, in both directions.
func (s *site) cutPeers(one, other int) {
	s.peers[one].Cut(s.ids[other])
	s.peers[other].Cut(s.ids[one])
}

// healPeers ends all cuts between members.
func (s *site) healPeers() {
	for _, link := range s.peers {
		for _, id := range s.ids {
			link.Mend(id)
		}
	}
}

// holdCache keeps back what etcd's watches report to a server, or reports it. Reads are answered.
func (r *replica) holdCache(hold bool) {
	for _, proxy := range r.proxies {
		proxy.HoldWatches(hold)
	}
}
