package flowcontrol_test

import (
	"net/http"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	utilflowcontrol "k8s.io/apiserver/pkg/util/flowcontrol"
	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/eventclock"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/component-base/metrics/legacyregistry"
)

// newQueueSet returns a QueueSet with this many seats.
func newQueueSet(t *testing.T, clk eventclock.Interface, qCfg fq.QueuingConfig, seats int) fq.QueueSet {
	t.Helper()
	metrics.Register()
	labels := []string{qCfg.Name}
	completer, err := queueset.NewQueueSetFactory(clk).BeginConstruction(qCfg,
		metrics.RatioedGaugeVecPhasedElementPair(metrics.PriorityLevelConcurrencyGaugeVec, 1, 1, labels),
		metrics.PriorityLevelExecutionSeatsGaugeVec.NewForLabelValuesSafe(0, 1, labels),
		fq.NewNamedIntegrator(clk, qCfg.Name))
	if err != nil {
		t.Fatal(err)
	}
	return completer.Complete(fq.DispatchingConfig{ConcurrencyLimit: seats, ConcurrencyDenominator: max(1, seats)})
}

// newController returns a controller that enforces the mandatory objects, and the informers that
// would tell it of others. The only limited priority level is catch-all, which has all seats.
func newController(seats int, objects ...runtime.Object) (utilflowcontrol.Interface, informers.SharedInformerFactory) {
	metrics.Register()
	client := fake.NewClientset(objects...)
	factory := informers.NewSharedInformerFactory(client, 1000*time.Hour)
	return utilflowcontrol.New(factory, client.FlowcontrolV1(), seats), factory
}

// run runs the controller and its informers until the test ends, in a bubble of synctest.
func run(t *testing.T, controller utilflowcontrol.Interface, factory informers.SharedInformerFactory) {
	t.Helper()
	stop := make(chan struct{})
	factory.Start(stop)
	go func() { _ = controller.Run(stop) }()
	t.Cleanup(func() {
		close(stop)
		factory.Shutdown()
		<-time.After(time.Second) // a work queue notices its end at its next tick
	})
}

// asUser gives a request of a resource what flow control asks for.
func asUser(r *http.Request, name, verb, resource string) *http.Request {
	ctx := request.WithUser(r.Context(), &user.DefaultInfo{Name: name, Groups: []string{user.AllAuthenticated}})
	return r.WithContext(request.WithRequestInfo(ctx, &request.RequestInfo{
		IsResourceRequest: true, Verb: verb, APIVersion: "v1", Resource: resource, Path: r.URL.Path,
	}))
}

// gauge returns the value of a metric for a priority level.
func gauge(t *testing.T, name, level string) float64 {
	t.Helper()
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			if family.GetName() == name && metric.GetLabel()[0].GetValue() == level {
				return metric.GetGauge().GetValue()
			}
		}
	}
	t.Fatalf("%s has no value for %s", name, level)
	return 0
}
