package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"k8s.io/apiserver/pkg/authentication/user"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"
	flowcontrolrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/informers/externalversions"
)

// flowControl is the engine.
type flowControl struct {
	*apf.FlowControl
	// annotations says which requests are annotated in audit events.
	annotations filter.Annotations
	// readers are told why their requests are rejected.
	readers *rejectionReaders
	// listCost names the estimator of lists, which depends on sizes.
	listCost estimate.ListCost
	sizes    storedSizes
	// exemptLimit bounds the requests of exempt priority levels.
	exemptLimit filter.ExemptLimit
}

// applyInformers makes the informers of the objects that this server stores, which they
// read from this server's own API.
func (s *Server) applyInformers(context.Context) error {
	client, err := versioned.NewForConfig(s.generic.LoopbackClientConfig)
	if err != nil {
		return err
	}
	s.informers = externalversions.NewSharedInformerFactory(client, 0)
	return s.generic.AddPostStartHook("flowcontrol-informers", func(hook genericapiserver.PostStartHookContext) error {
		s.informers.Start(hook.Done())
		return nil
	})
}

// applyFlowControl makes the engine, which enforces the objects that this server stores.
func (s *Server) applyFlowControl(context.Context) error {
	if !s.config.Features.EnablePriorityAndFairness {
		return nil
	}
	if other := s.config.FlowControl; other != nil {
		return other(s.generic)
	}
	flowControl, err := s.newFlowControl()
	if err != nil {
		return fmt.Errorf("flow control: %w", err)
	}
	if err := flowControl.Registry().Register(s.store.Reads()); err != nil {
		return fmt.Errorf("flow control: %w", err)
	}
	if s.generic.AuditBackend != nil {
		flowControl.annotations = s.config.AuditFlowControl.annotations()
	}
	flowControl.readers = newRejectionReaders(s.generic.Authorization.Authorizer, s.config.authorizesLocally())
	flowControl.exemptLimit = filter.ExemptLimit{InFlight: s.config.MaxExemptRequestsInFlight, Bypasses: bypassesExemptLimit}
	s.generic.FlowControl = flowControl
	s.flowControl = flowControl
	lag := &configurationLag{status: flowControl.ConfigurationStatus, clock: s.config.Clock}
	s.generic.AddReadyzChecks(healthz.NamedCheck(configuredCheck, flowControl.check), healthz.NamedCheck(lagCheck, lag.check))
	return nil
}

// totalSeats returns the seats of this server, 0 without flow control.
func (s *Server) totalSeats() int {
	if !s.config.Features.EnablePriorityAndFairness {
		return 0
	}
	return s.generic.MaxRequestsInFlight + s.generic.MaxMutatingRequestsInFlight
}

// newFlowControl makes the engine. Once started, the informers configure it.
func (s *Server) newFlowControl() (*flowControl, error) {
	client, err := versioned.NewForConfig(s.generic.LoopbackClientConfig)
	if err != nil {
		return nil, err
	}
	v1 := s.informers.Flowcontrol().V1()
	levels, schemas := v1.PriorityLevelConfigurations().Informer(), v1.FlowSchemas().Informer()
	sizes, err := newStoredSizes(levels, schemas)
	if err != nil {
		return nil, err
	}
	engine, err := apf.New(apf.Config{
		Levels:        levels,
		Schemas:       schemas,
		SchemaPatcher: client.FlowcontrolV1().FlowSchemas(),
		LevelGetter:   client.FlowcontrolV1().PriorityLevelConfigurations(),
		Total:         s.totalSeats(),
		TotalControl:  s.config.TotalControl,
	})
	if err != nil {
		return nil, err
	}
	for _, collector := range sizes.collectors() {
		if err := engine.Registry().Register(collector); err != nil {
			return nil, err
		}
	}
	return &flowControl{FlowControl: engine, listCost: s.config.ListCost, sizes: sizes}, nil
}

// filter returns the flow-control filter.
func (f *flowControl) filter(c *genericapiserver.Config) func(http.Handler) http.Handler {
	return f.Filter(apf.FilterOptions{
		LongRunning: c.LongRunningFunc,
		WaitLimit:   c.RequestTimeout / 4,
		Objects:     countObjects(c.StorageObjectCountTracker),
		ListCost:    f.listCost,
		Sizes:       f.sizes.average,
		CountsReads: true, // by namingTransformer
		Annotations: f.annotations,
		ExemptLimit: f.exemptLimit,
		Own:         isOwn,
		Explain:     f.readers.include,
		Serializer:  c.Serializer,
	})
}

// isOwn reports whether a requester is this server, or the kube-apiserver in front.
func isOwn(requester user.Info) bool { return requester.GetName() == user.APIServerUser }

// bypassesExemptLimit reports whether a request comes from this server or is for health:
// enforcement and restarts depend on them.
func bypassesExemptLimit(info *apirequest.RequestInfo, requester user.Info) bool {
	if isOwn(requester) {
		return true
	}
	root, _, _ := strings.Cut(strings.TrimPrefix(info.Path, "/"), "/")
	return !info.IsResourceRequest && (root == "livez" || root == "readyz" || root == "healthz")
}

// check fails until the stored configuration is enforced.
func (f *flowControl) check(*http.Request) error {
	select {
	case <-f.Applied():
		return nil
	default:
		return errors.New("the stored FlowSchemas and PriorityLevelConfigurations are not enforced yet")
	}
}

// libraryEstimator is the work estimator of the library's own handler chain.
func libraryEstimator(c *genericapiserver.Config) flowcontrolrequest.WorkEstimatorFunc {
	return flowcontrolrequest.NewWorkEstimator(c.StorageObjectCountTracker.Get, c.FlowControl.GetInterestedWatchCount,
		flowcontrolrequest.DefaultWorkEstimatorConfig(), c.FlowControl.GetMaxSeats)
}

// AuditFlowControl says which requests flow control annotates in audit events, with
// their flow schema, priority level, flow distinguisher, seats, wait and outcome.
type AuditFlowControl string

// The values.
const (
	// AuditNone is no request.
	AuditNone AuditFlowControl = "none"
	// AuditGoverned is requests of priority levels that are not exempt.
	AuditGoverned AuditFlowControl = "governed"
	// AuditAll is requests of exempt priority levels too.
	AuditAll AuditFlowControl = "all"
)

func (a AuditFlowControl) validate() error {
	switch a {
	case AuditNone, AuditGoverned, AuditAll:
		return nil
	default:
		return fmt.Errorf("--audit-flow-control=%s must be one of %s, %s, %s", a, AuditNone, AuditGoverned, AuditAll)
	}
}

func (a AuditFlowControl) annotations() filter.Annotations {
	switch a {
	case AuditGoverned:
		return filter.AnnotateGoverned
	case AuditAll:
		return filter.AnnotateAll
	default:
		return filter.AnnotateNone
	}
}
