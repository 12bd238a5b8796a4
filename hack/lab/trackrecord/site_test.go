package trackrecord

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/util/flowcontrol"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
)

// Setup configures a server.
type Setup struct {
	// Total is its seats.
	Total int
	// Levels and Schemas are its objects beside the mandatory ones.
	Levels  []*flowcontrolv1.PriorityLevelConfiguration
	Schemas []*flowcontrolv1.FlowSchema
	// Stored is how many objects of each resource are stored.
	Stored map[string]int64
	// Tenants makes the service accounts of a namespace one tenant in this project's engine. The peer has no
	// tenants.
	Tenants bool
	// Serve executes requests that flow control admits. Without it they take no time.
	Serve http.HandlerFunc
	// ServeWatch executes watches. Without it, they are initialized at once.
	ServeWatch http.HandlerFunc
}

// Site is a server with one of the engines, in virtual time, and its clients.
type Site struct {
	*traffic.VirtualServer

	// Peer reports that the engine is the one of k8s.io/apiserver.
	Peer bool
	T    *testing.T

	setup   Setup
	target  *traffic.Target
	running sync.WaitGroup
}

// runOn runs a function on a site with one of the engines, in a bubble of its own.
func runOn(t *testing.T, peer bool, setup Setup, run func(*Site)) {
	t.Helper()
	s := &Site{Peer: peer, setup: setup}
	v := traffic.Virtual{
		Engine: traffic.Ours, Seats: setup.Total, Objects: setup.objects(), Stored: setup.Stored,
		Serve: http.HandlerFunc(s.serve),
	}
	switch {
	case peer:
		v.Engine = traffic.Library
	case setup.Tenants:
		v.Engine = traffic.WithTenants
	}
	v.Run(t, func(t *testing.T, server *traffic.VirtualServer) {
		t.Helper()
		s.T, s.VirtualServer, s.target = t, server, traffic.TargetIn(server)
		run(s)
		s.Join()
	})
}

func (s Setup) objects() (objects []runtime.Object) {
	for _, level := range s.Levels {
		objects = append(objects, level.DeepCopy())
	}
	for _, schema := range s.Schemas {
		objects = append(objects, schema.DeepCopy())
	}
	return objects
}

// serve executes a request. A watch has sent its first events at once, and lasts.
func (s *Site) serve(w http.ResponseWriter, r *http.Request) {
	info, _ := request.RequestInfoFrom(r.Context())
	switch {
	case info.Verb == "watch" && s.setup.ServeWatch == nil:
		flowcontrol.WatchInitialized(r.Context())
		<-r.Context().Done()
	case info.Verb == "watch":
		s.setup.ServeWatch(w, r)
	case s.setup.Serve != nil:
		s.setup.Serve(w, r)
	}
}

// register adds metrics to the registry of this project's engine.
func (s *Site) register(metrics prometheus.Collector) {
	s.Control.(*apf.FlowControl).Registry().MustRegister(metrics)
}

// Apply replaces a level, and waits until it is enforced.
func (s *Site) Apply(level *flowcontrolv1.PriorityLevelConfiguration) {
	s.T.Helper()
	_, err := s.Client.FlowcontrolV1().PriorityLevelConfigurations().Update(s.T.Context(), level, metav1.UpdateOptions{})
	require.NoError(s.T, err)
	<-time.After(100 * time.Millisecond)
}

// Go starts what Join waits for.
func (s *Site) Go(f func()) { s.running.Go(f) }

// Join waits until all clients and all that Go started have ended.
func (s *Site) Join() { s.running.Wait() }

// Settle waits until every request waits, executes or is answered.
func (s *Site) Settle() { synctest.Wait() }

// Wait lets virtual time pass.
func (s *Site) Wait(d time.Duration) { <-time.After(d) }
