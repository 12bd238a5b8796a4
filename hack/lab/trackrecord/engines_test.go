package trackrecord

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/server/filters"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/eventclock"
	fqs "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/client-go/informers"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
)

// newEngine creates the engine and returns its filter.
func (s *Site) newEngine(factory informers.SharedInformerFactory) func(http.Handler) http.Handler {
	if s.Peer {
		return s.newPeer(factory)
	}
	config := apf.ConfigFor(factory, s.client.FlowcontrolV1(), s.setup.Total)
	config.Tenants = s.setup.Tenants
	control, err := apf.New(config)
	require.NoError(s.T, err)
	s.control = control
	control.InstallMetrics(s.paths)
	return control.Filter(apf.FilterOptions{
		LongRunning: longRunning, WaitLimit: requestTimeout / 4, Objects: s.counts.Get, ListCost: estimate.OwnCost,
	}).Handler
}

// newPeer creates the engine and the filter of k8s.io/apiserver, as kube-apiserver does,
// but for its timer, which survives a panic.
func (s *Site) newPeer(factory informers.SharedInformerFactory) func(http.Handler) http.Handler {
	metrics.Register()
	metrics.Reset()
	timer := &survivingClock{panics: &s.panics}
	s.control = flowcontrol.NewTestable(flowcontrol.TestableConfig{
		Name: "Controller", Clock: timer, AsFieldManager: flowcontrol.ConfigConsumerAsFieldManager,
		FoundToDangling: func(found bool) bool { return !found },
		InformerFactory: factory, FlowcontrolClient: s.client.FlowcontrolV1(), ServerConcurrencyLimit: s.setup.Total,
		ReqsGaugeVec: metrics.PriorityLevelConcurrencyGaugeVec, ExecSeatsGaugeVec: metrics.PriorityLevelExecutionSeatsGaugeVec,
		QueueSetFactory: fqs.NewQueueSetFactory(timer),
	})
	s.paths.Handle("/metrics", legacyregistry.Handler())
	estimator := fcrequest.NewWorkEstimator(s.counts.Get, s.control.GetInterestedWatchCount, fcrequest.DefaultWorkEstimatorConfig(), s.control.GetMaxSeats)
	return func(next http.Handler) http.Handler {
		return filters.WithPriorityAndFairness(next, longRunning, s.control, estimator, requestTimeout/4)
	}
}

// panics counts panics of the goroutines that serve no request. Each would end the process.
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

func (p *panics) report() (count int, last string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count, p.last
}

// survivingClock is the clock of kube-apiserver, but recovers from panics of events.
type survivingClock struct {
	eventclock.Real
	panics *panics
}

var _ eventclock.Interface = (*survivingClock)(nil)

func (c *survivingClock) EventAfterDuration(f eventclock.EventFunc, d time.Duration) {
	c.Real.EventAfterDuration(func(now time.Time) {
		defer c.panics.recover()
		f(now)
	}, d)
}

func (c *survivingClock) EventAfterTime(f eventclock.EventFunc, at time.Time) {
	c.Real.EventAfterTime(func(now time.Time) {
		defer c.panics.recover()
		f(now)
	}, at)
}

// register adds metrics to the registry of this project's engine.
func (s *Site) register(metrics prometheus.Collector) {
	s.control.(*apf.FlowControl).Registry().MustRegister(metrics)
}
