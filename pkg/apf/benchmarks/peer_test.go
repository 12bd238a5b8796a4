package benchmarks

import (
	"context"
	"sync"
	"testing"
	"time"

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

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/classify"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/prioritylevel"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// handler is what both engines are to a benchmark.
type handler func(ctx context.Context, digest flowcontrol.RequestDigest, execute func())

const total = 600

func builtIn() ([]*flowcontrolv1.PriorityLevelConfiguration, []*flowcontrolv1.FlowSchema) {
	levels := append([]*flowcontrolv1.PriorityLevelConfiguration{}, bootstrap.MandatoryPriorityLevelConfigurations...)
	schemas := append([]*flowcontrolv1.FlowSchema{}, bootstrap.MandatoryFlowSchemas...)
	return append(levels, bootstrap.SuggestedPriorityLevelConfigurations...), append(schemas, bootstrap.SuggestedFlowSchemas...)
}

func newPeer(tb testing.TB, serverTotal int, levels []*flowcontrolv1.PriorityLevelConfiguration, schemas []*flowcontrolv1.FlowSchema) handler {
	tb.Helper()
	fcmetrics.Register()
	var objects []runtime.Object
	for _, o := range levels {
		objects = append(objects, o)
	}
	for _, o := range schemas {
		objects = append(objects, o)
	}
	client := fake.NewClientset(objects...)
	factory := informers.NewSharedInformerFactory(client, 0)
	peer := flowcontrol.New(factory, client.FlowcontrolV1(), serverTotal)
	stop := make(chan struct{})
	var running sync.WaitGroup
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	running.Add(1)
	go func() {
		defer running.Done()
		_ = peer.Run(stop)
	}()
	tb.Cleanup(func() {
		close(stop)
		running.Wait()
		factory.Shutdown()
	})
	h := func(ctx context.Context, digest flowcontrol.RequestDigest, execute func()) {
		peer.Handle(ctx, digest,
			func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string) {},
			func() fcrequest.WorkEstimate { return fcrequest.WorkEstimate{InitialSeats: 1} },
			func(bool) {}, execute)
	}
	waitUntilConfigured(tb, peer)
	return h
}

func waitUntilConfigured(tb testing.TB, peer flowcontrol.Interface) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		var got string
		peer.Handle(ctx, digestOf("nobody", "system:authenticated"),
			func(fs *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration, _ string) {
				got = fs.Name
			},
			func() fcrequest.WorkEstimate { return fcrequest.WorkEstimate{InitialSeats: 1} },
			func(bool) {}, func() {})
		if got == "global-default" {
			return
		}
	}
	tb.Fatal("the peer did not read its configuration")
}

func newOurs(tb testing.TB, serverTotal int, levels []*flowcontrolv1.PriorityLevelConfiguration, schemas []*flowcontrolv1.FlowSchema, processors int) (*engine.Engine, handler) {
	tb.Helper()
	e := engine.New(clock.NewReal(), processors, serverTotal)
	c := engine.Configuration{Total: serverTotal}
	for _, l := range levels {
		c.Levels = append(c.Levels, levelOf(l))
	}
	for _, s := range schemas {
		c.Schemas = append(c.Schemas, engine.Schema{Schema: schemaOf(s), Ref: s})
	}
	if problems := e.Apply(c); len(problems) > 0 {
		tb.Fatal(problems)
	}
	return e, func(ctx context.Context, digest flowcontrol.RequestDigest, execute func()) {
		t := e.Begin()
		a, info := &t.Attributes, digest.RequestInfo
		a.User, a.Groups = digest.User.GetName(), digest.User.GetGroups()
		a.Verb, a.IsResourceRequest = info.Verb, info.IsResourceRequest
		a.APIGroup, a.Resource, a.Subresource = info.APIGroup, info.Resource, info.Subresource
		a.Namespace, a.Name, a.Path = info.Namespace, info.Name, info.Path
		t.Classify()
		if t.Admit(ctx, seats.Work{Initial: 1}, nil) {
			execute()
			t.Finish()
		}
		t.End()
	}
}

func levelOf(l *flowcontrolv1.PriorityLevelConfiguration) prioritylevel.Config {
	c := prioritylevel.Config{Name: l.Name, Ref: l}
	if l.Spec.Exempt != nil {
		c.Discipline = queueset.Exempt
		return c
	}
	c.Discipline = queueset.Reject
	limited := l.Spec.Limited
	c.Shares = *limited.NominalConcurrencyShares
	if limited.LendablePercent != nil {
		c.LendablePercent = *limited.LendablePercent
	}
	c.BorrowingLimitPercent = limited.BorrowingLimitPercent
	if q := limited.LimitResponse.Queuing; q != nil {
		c.Discipline = queueset.Queue
		c.Queues, c.HandSize, c.QueueLengthLimit = int(q.Queues), int(q.HandSize), int(q.QueueLengthLimit)
	}
	return c
}

func schemaOf(s *flowcontrolv1.FlowSchema) classify.Schema {
	out := classify.Schema{Name: s.Name, Level: s.Spec.PriorityLevelConfiguration.Name, Precedence: s.Spec.MatchingPrecedence}
	if m := s.Spec.DistinguisherMethod; m != nil {
		out.Distinguisher = classify.ByUser
		if m.Type == flowcontrolv1.FlowDistinguisherMethodByNamespaceType {
			out.Distinguisher = classify.ByNamespace
		}
	}
	for _, r := range s.Spec.Rules {
		var rule classify.Rule
		for _, subject := range r.Subjects {
			switch {
			case subject.User != nil:
				rule.Subjects = append(rule.Subjects, classify.Subject{Kind: classify.User, Name: subject.User.Name})
			case subject.Group != nil:
				rule.Subjects = append(rule.Subjects, classify.Subject{Kind: classify.Group, Name: subject.Group.Name})
			default:
				rule.Subjects = append(rule.Subjects, classify.Subject{Kind: classify.ServiceAccount, Name: subject.ServiceAccount.Name, Namespace: subject.ServiceAccount.Namespace})
			}
		}
		for _, rr := range r.ResourceRules {
			rule.ResourceRules = append(rule.ResourceRules, classify.ResourceRule{
				Verbs: rr.Verbs, APIGroups: rr.APIGroups, Resources: rr.Resources,
				ClusterScope: rr.ClusterScope, Namespaces: rr.Namespaces,
			})
		}
		for _, nr := range r.NonResourceRules {
			rule.NonResourceRules = append(rule.NonResourceRules, classify.NonResourceRule{Verbs: nr.Verbs, URLs: nr.NonResourceURLs})
		}
		out.Rules = append(out.Rules, rule)
	}
	return out
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
