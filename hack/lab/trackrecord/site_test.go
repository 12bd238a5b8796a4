package trackrecord

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server/filters"
	"k8s.io/apiserver/pkg/server/httplog"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
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
	// RequestTimeout is the deadline of a request that names none; a minute by default. It
	// may wait a quarter of its time.
	RequestTimeout time.Duration
	// Tenants says which flows are one tenant in this project's engine. The peer has no tenants.
	Tenants rules.Tenants
	// Serve executes requests that flow control admits. Without it they take no time.
	Serve http.HandlerFunc
	// ServeWatch executes watches. Without it, they are initialized at once.
	ServeWatch http.HandlerFunc
}

// requestTimeout is the deadline of a request that names none, as kube-apiserver's
// --request-timeout.
const requestTimeout = time.Minute

// resync is longer than any case. Without it, informers wait on a channel of their package,
// and the time of the bubble would stand still.
const resync = 1000 * time.Hour

// Site is a server with one of the engines, in virtual time.
type Site struct {
	// Peer reports that the engine is the one of k8s.io/apiserver.
	Peer bool
	T    *testing.T

	setup   Setup
	client  *fake.Clientset
	control flowcontrol.Interface
	counts  fcrequest.StorageObjectCountTracker
	chain   http.Handler
	paths   *mux.PathRecorderMux
	log     *recordedLog
	panics  panics
	running sync.WaitGroup
}

// runOn runs a function on a site with one of the engines, in a bubble of its own.
func runOn(t *testing.T, peer bool, setup Setup, run func(*Site)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &Site{Peer: peer, T: t, setup: setup, log: recordLog(t), paths: mux.NewPathRecorderMux("site")}
		stop := s.start()
		run(s)
		s.running.Wait()
		stop()
	})
}

// start starts the engine and returns what stops it.
func (s *Site) start() (stop func()) {
	s.client = fake.NewClientset(s.objects()...)
	factory := informers.NewSharedInformerFactory(s.client, resync)
	s.counts = fcrequest.NewStorageObjectCountTracker()
	for resource, count := range s.setup.Stored {
		s.counts.Set(resource, count)
	}
	filter := s.newEngine(factory)
	s.control.Install(s.paths)
	s.chain = httplog.WithLogging(filter(http.HandlerFunc(s.serve)), httplog.DefaultStacktracePred)
	done := make(chan struct{})
	factory.Start(done)
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(s.T, s.control.Run(done)) })
	<-time.After(time.Second) // of virtual time: the objects are applied
	return func() {
		close(done)
		running.Wait()
		factory.Shutdown()
		<-time.After(time.Second) // work queues notice their end at their next tick
	}
}

func (s *Site) objects() (objects []runtime.Object) {
	for _, level := range s.setup.Levels {
		objects = append(objects, level.DeepCopy())
	}
	for _, schema := range s.setup.Schemas {
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

// longRunning are the requests that kube-apiserver regards as long-running.
var longRunning = filters.BasicLongRunningRequestCheck(sets.NewString("watch", "proxy"), sets.NewString("attach", "exec", "proxy", "log", "portforward"))

// Apply replaces a level, and waits until it is in force.
func (s *Site) Apply(level *flowcontrolv1.PriorityLevelConfiguration) {
	s.T.Helper()
	_, err := s.client.FlowcontrolV1().PriorityLevelConfigurations().Update(s.T.Context(), level, updateOptions)
	require.NoError(s.T, err)
	<-time.After(100 * time.Millisecond)
}

// Go starts what runOn waits for.
func (s *Site) Go(f func()) { s.running.Go(f) }

// Join waits until all that Go, Flood and Every started has ended.
func (s *Site) Join() { s.running.Wait() }

// Settle waits until every request waits, executes or is answered.
func (s *Site) Settle() { synctest.Wait() }

// Wait lets virtual time pass.
func (s *Site) Wait(d time.Duration) { <-time.After(d) }
