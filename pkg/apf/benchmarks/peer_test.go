package benchmarks

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime"
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
)

// handler is what both engines are to a benchmark.
type handler func(ctx context.Context, digest flowcontrol.RequestDigest, execute func())

const total = 600

func builtIn() ([]*flowcontrolv1.PriorityLevelConfiguration, []*flowcontrolv1.FlowSchema) {
	levels := append([]*flowcontrolv1.PriorityLevelConfiguration{}, bootstrap.MandatoryPriorityLevelConfigurations...)
	schemas := append([]*flowcontrolv1.FlowSchema{}, bootstrap.MandatoryFlowSchemas...)
	return append(levels, bootstrap.SuggestedPriorityLevelConfigurations...), append(schemas, bootstrap.SuggestedFlowSchemas...)
}

func newPeer(factory informers.SharedInformerFactory, client flowcontrolclient.FlowcontrolV1Interface, total int) (flowcontrol.Interface, error) {
	fcmetrics.Register()
	return flowcontrol.New(factory, client, total), nil
}

func newOurs(factory informers.SharedInformerFactory, client flowcontrolclient.FlowcontrolV1Interface, total int) (flowcontrol.Interface, error) {
	config := apf.ConfigFor(factory, client, total)
	config.Registerer = prometheus.NewRegistry()
	config.SchemaPatcher = nil // the first statuses would be written while the clock runs
	return apf.New(config)
}

type constructor func(informers.SharedInformerFactory, flowcontrolclient.FlowcontrolV1Interface, int) (flowcontrol.Interface, error)

// start runs flow control on the given objects and waits until it follows
// them. Among the objects must be the built-in ones.
func start(tb testing.TB, newEngine constructor, levels []*flowcontrolv1.PriorityLevelConfiguration, schemas []*flowcontrolv1.FlowSchema) flowcontrol.Interface {
	tb.Helper()
	var objects []runtime.Object
	for _, o := range levels {
		objects = append(objects, o)
	}
	for _, o := range schemas {
		objects = append(objects, o)
	}
	client := fake.NewClientset(objects...)
	factory := informers.NewSharedInformerFactory(client, 0)
	fc, err := newEngine(factory, client.FlowcontrolV1(), total)
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
	return fc
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
