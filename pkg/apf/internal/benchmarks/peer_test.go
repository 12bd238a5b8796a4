package benchmarks

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	fcmetrics "k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	flowcontrolclient "k8s.io/client-go/kubernetes/typed/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/metrics"
)

// handler is the common interface of both engines.
type handler func(ctx context.Context, digest flowcontrol.RequestDigest, execute func())

const total = 600

func builtIn() ([]*flowcontrolv1.PriorityLevelConfiguration, []*flowcontrolv1.FlowSchema) {
	levels := append([]*flowcontrolv1.PriorityLevelConfiguration{}, bootstrap.MandatoryPriorityLevelConfigurations...)
	schemas := append([]*flowcontrolv1.FlowSchema{}, bootstrap.MandatoryFlowSchemas...)
	return append(levels, bootstrap.SuggestedPriorityLevelConfigurations...), append(schemas, bootstrap.SuggestedFlowSchemas...)
}

// newPeer returns the library's engine. Its metrics are in the library's
// registry.
func newPeer(factory informers.SharedInformerFactory, client flowcontrolclient.FlowcontrolV1Interface) (flowcontrol.Interface, prometheus.Gatherer, error) {
	fcmetrics.Register()
	return flowcontrol.New(factory, client, total), prometheus.NewRegistry(), nil
}

func newOurs(factory informers.SharedInformerFactory, client flowcontrolclient.FlowcontrolV1Interface) (flowcontrol.Interface, prometheus.Gatherer, error) {
	config := apf.ConfigFor(factory, client, total)
	config.SchemaPatcher = nil // the first status writes would fall into the measured time
	f, err := apf.New(config)
	if err != nil {
		return nil, nil, err
	}
	return f, f.Registry(), nil
}

type constructor func(informers.SharedInformerFactory, flowcontrolclient.FlowcontrolV1Interface) (flowcontrol.Interface, prometheus.Gatherer, error)

// start runs flow control on the given objects and waits until they are
// applied. The objects must include the built-in ones. The registry holds the
// metrics of this project's engine.
func start(tb testing.TB, newEngine constructor, levels []*flowcontrolv1.PriorityLevelConfiguration, schemas []*flowcontrolv1.FlowSchema) (flowcontrol.Interface, prometheus.Gatherer) {
	tb.Helper()
	var objects []apiruntime.Object
	for _, o := range levels {
		objects = append(objects, o)
	}
	for _, o := range schemas {
		objects = append(objects, o)
	}
	client := fake.NewClientset(objects...)
	factory := informers.NewSharedInformerFactory(client, 0)
	fc, registry, err := newEngine(factory, client.FlowcontrolV1())
	if err != nil {
		tb.Fatal(err)
	}
	stop := make(chan struct{})
	var running sync.WaitGroup
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	running.Go(func() { _ = fc.Run(stop) })
	tb.Cleanup(func() {
		close(stop)
		running.Wait()
		factory.Shutdown()
	})
	waitUntilConfigured(tb, fc)
	return fc, registry
}

// measured runs flow control on the given objects with scrapes during the
// benchmark. It returns the engine's handler.
func measured(b *testing.B, newEngine constructor, levels []*flowcontrolv1.PriorityLevelConfiguration, schemas []*flowcontrolv1.FlowSchema) handler {
	b.Helper()
	fc, registry := start(b, newEngine, levels, schemas)
	scrapeAll(b, registry)
	b.ResetTimer()
	return handlerOf(fc)
}

// alone returns this engine with a total of seats, without API objects and without
// scrapes.
func alone(b *testing.B, seats int, c engine.Configuration) *engine.Engine {
	b.Helper()
	e := engine.New(engine.Options{Total: seats})
	if problems := e.Apply(c); len(problems) > 0 {
		b.Fatal(problems)
	}
	return e
}

// directly returns this engine without API objects, scraped as in measured.
func directly(b *testing.B, seats int, c engine.Configuration) *engine.Engine {
	b.Helper()
	e := alone(b, seats, c)
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics.NewCollector(e.Report))
	scrapeAll(b, registry)
	return e
}

func handlerOf(fc flowcontrol.Interface) handler {
	note := func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string) {}
	estimate := func() fcrequest.WorkEstimate { return fcrequest.WorkEstimate{InitialSeats: 1} }
	queued := func(bool) {}
	return func(ctx context.Context, digest flowcontrol.RequestDigest, execute func()) {
		fc.Handle(ctx, digest, note, estimate, queued, execute)
	}
}

func waitUntilConfigured(tb testing.TB, fc flowcontrol.Interface) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		var got string
		fc.Handle(ctx, digestOf("nobody", "system:authenticated"),
			func(fs *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration, _ string) {
				got = fs.Name
			},
			func() fcrequest.WorkEstimate { return fcrequest.WorkEstimate{InitialSeats: 1} },
			func(bool) {}, func() {})
		if got == "global-default" {
			return
		}
	}
	tb.Fatal("flow control did not read its configuration")
}

func digestOf(name string, groups ...string) flowcontrol.RequestDigest {
	return flowcontrol.RequestDigest{
		RequestInfo: &request.RequestInfo{
			IsResourceRequest: true, Verb: "get", APIVersion: "v1", Resource: "configmaps",
			Namespace: "default", Name: "settings", Path: "/api/v1/namespaces/default/configmaps/settings",
		},
		User: &user.DefaultInfo{Name: name, Groups: groups},
	}
}
