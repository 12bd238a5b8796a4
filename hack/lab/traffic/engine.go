package traffic

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server/filters"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/eventclock"
	fqs "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// Engine is one of the engines.
type Engine string

// The engines. WithTenants is this project's with --flow-control-tenants=service-account-namespaces.
const (
	Library     Engine = "library"
	Ours        Engine = "ours"
	WithTenants Engine = "ours, with tenants"
)

const (
	// Seats is the limit of the level of RunEngine. It has 64 queues of 50 requests, and hands of 6.
	Seats = 20
	// RequestTimeout is the deadline of a request that names none, as kube-apiserver's.
	RequestTimeout = time.Minute
	// resync is longer than any run, since informers that resync wait outside of the bubble.
	resync = 1000 * time.Hour
)

// Virtual is a server in virtual time. It stands for the parts that matter to flow control: identity, deadline, the
// filter of an engine, and work that takes time.
type Virtual struct {
	Engine Engine
	// Seats is the total of all levels.
	Seats int
	// Objects are the levels and schemas beside the mandatory ones.
	Objects []runtime.Object
	// Stored is how many objects of each resource are stored.
	Stored map[string]int64
	// Serve executes requests.
	Serve http.Handler
}

// VirtualServer is a Virtual that runs.
type VirtualServer struct {
	http.Handler
	Client  *fake.Clientset
	Control flowcontrol.Interface
	// Paths are not under flow control: /metrics and the debug endpoints of the engine.
	Paths  *mux.PathRecorderMux
	panics panics
}

// RunEngine runs a function beside a server with an engine. It has one level, of all users, and executes requests with serve.
func RunEngine(t *testing.T, engine Engine, serve http.Handler, run func(t *testing.T, server http.Handler)) {
	t.Helper()
	v := Virtual{Engine: engine, Seats: Seats, Objects: []runtime.Object{level(), schema()}, Serve: serve}
	v.Run(t, func(t *testing.T, s *VirtualServer) { t.Helper(); run(t, s) })
}

// Run runs a function beside the server, in a bubble of testing/synctest.
func (v Virtual) Run(t *testing.T, run func(t *testing.T, s *VirtualServer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &VirtualServer{Client: fake.NewClientset(v.Objects...), Paths: mux.NewPathRecorderMux("server")}
		factory := informers.NewSharedInformerFactory(s.Client, resync)
		filter := s.newFilter(t, v, factory)
		s.Control.Install(s.Paths)
		inside := Identified(filter(v.Serve))
		var serving sync.WaitGroup // also of clients that have left
		s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			serving.Add(1)
			defer serving.Done()
			inside.ServeHTTP(w, r)
		})
		done := make(chan struct{})
		factory.Start(done)
		var running sync.WaitGroup
		running.Go(func() { assert.NoError(t, s.Control.Run(done)) })
		<-time.After(time.Second) // the objects are applied
		run(t, s)
		serving.Wait()
		close(done)
		running.Wait()
		factory.Shutdown()
		<-time.After(time.Second) // work queues notice their end at their next tick
	})
}

// newFilter creates the engine and returns its filter. The library's is as in kube-apiserver, but its timer survives
// a panic.
func (s *VirtualServer) newFilter(t *testing.T, v Virtual, factory informers.SharedInformerFactory) func(http.Handler) http.Handler {
	t.Helper()
	counts := fcrequest.NewStorageObjectCountTracker()
	for resource, count := range v.Stored {
		counts.Set(resource, count)
	}
	longRunning := filters.BasicLongRunningRequestCheck(sets.NewString("watch", "proxy"), sets.NewString("attach", "exec", "proxy", "log", "portforward"))
	if v.Engine != Library {
		config := apf.ConfigFor(factory, s.Client.FlowcontrolV1(), v.Seats)
		if v.Engine == WithTenants {
			config.Tenants = rules.ServiceAccountNamespaces
		}
		control, err := apf.New(config)
		require.NoError(t, err)
		control.InstallMetrics(s.Paths)
		s.Control = control
		return control.Filter(apf.FilterOptions{
			LongRunning: longRunning, WaitLimit: RequestTimeout / 4, Objects: counts.Get, ListCost: estimate.OwnCost,
		}).Handler
	}
	metrics.Register()
	metrics.Reset()
	s.Paths.Handle("/metrics", legacyregistry.Handler())
	timer := &survivingClock{panics: &s.panics}
	control := flowcontrol.NewTestable(flowcontrol.TestableConfig{
		Name: "Controller", Clock: timer, AsFieldManager: flowcontrol.ConfigConsumerAsFieldManager,
		FoundToDangling: func(found bool) bool { return !found },
		InformerFactory: factory, FlowcontrolClient: s.Client.FlowcontrolV1(), ServerConcurrencyLimit: v.Seats,
		ReqsGaugeVec: metrics.PriorityLevelConcurrencyGaugeVec, ExecSeatsGaugeVec: metrics.PriorityLevelExecutionSeatsGaugeVec,
		QueueSetFactory: fqs.NewQueueSetFactory(timer),
	})
	s.Control = control
	estimator := fcrequest.NewWorkEstimator(counts.Get, control.GetInterestedWatchCount, fcrequest.DefaultWorkEstimatorConfig(), control.GetMaxSeats)
	return func(next http.Handler) http.Handler {
		return filters.WithPriorityAndFairness(next, longRunning, control, estimator, RequestTimeout/4)
	}
}

// Panics returns how many goroutines panicked that serve no request, and the last reason. Each would end the process.
func (s *VirtualServer) Panics() (count int, last string) {
	s.panics.mu.Lock()
	defer s.panics.mu.Unlock()
	return s.panics.count, s.panics.last
}

type panics struct {
	mu    sync.Mutex // guards what follows
	count int
	last  string
}

func (p *panics) recover() {
	if reason := recover(); reason != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.count, p.last = p.count+1, fmt.Sprint(reason)
	}
}

// survivingClock is the clock of kube-apiserver, but recovers from panics of events.
type survivingClock struct {
	eventclock.Real
	panics *panics
}

var _ eventclock.Interface = (*survivingClock)(nil)

// EventAfterDuration implements eventclock.Interface.
func (c *survivingClock) EventAfterDuration(f eventclock.EventFunc, d time.Duration) {
	c.Real.EventAfterDuration(c.surviving(f), d)
}

// EventAfterTime implements eventclock.Interface.
func (c *survivingClock) EventAfterTime(f eventclock.EventFunc, at time.Time) {
	c.Real.EventAfterTime(c.surviving(f), at)
}

func (c *survivingClock) surviving(f eventclock.EventFunc) eventclock.EventFunc {
	return func(now time.Time) {
		defer c.panics.recover()
		f(now)
	}
}

// Identified returns what runs in front of flow control. It says who asks, the impersonated user, what is asked, and
// the deadline, which a client may state in the parameter timeout. Probes pass flow control by.
func Identified(next http.Handler) http.Handler {
	infos := &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/livez" {
			return
		}
		info, err := infos.NewRequestInfo(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		timeout, err := time.ParseDuration(r.URL.Query().Get("timeout"))
		if err != nil {
			timeout = RequestTimeout
		}
		who := &user.DefaultInfo{Name: r.Header.Get("Impersonate-User"), Groups: append(r.Header["Impersonate-Group"], user.AllAuthenticated)}
		ctx := request.WithRequestInfo(request.WithUser(r.Context(), who), info)
		ctx, cancel := context.WithTimeout(request.WithReceivedTimestamp(ctx, time.Now()), timeout)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func level() *flowcontrolv1.PriorityLevelConfiguration {
	level := objects.LevelOf("stormed", 1000)
	level.Spec.Limited.LimitResponse = flowcontrolv1.LimitResponse{
		Type:    flowcontrolv1.LimitResponseTypeQueue,
		Queuing: &flowcontrolv1.QueuingConfiguration{Queues: 64, HandSize: 6, QueueLengthLimit: 50},
	}
	return level
}

func schema() *flowcontrolv1.FlowSchema {
	all := []string{"*"}
	return &flowcontrolv1.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: "users"},
		Spec: flowcontrolv1.FlowSchemaSpec{
			MatchingPrecedence:         100,
			DistinguisherMethod:        &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodByUserType},
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "stormed"},
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects: []flowcontrolv1.Subject{{
					Kind: flowcontrolv1.SubjectKindGroup, Group: &flowcontrolv1.GroupSubject{Name: user.AllAuthenticated},
				}},
				ResourceRules: []flowcontrolv1.ResourcePolicyRule{{Verbs: all, APIGroups: all, Resources: all, ClusterScope: true, Namespaces: all}},
			}},
		},
	}
}
