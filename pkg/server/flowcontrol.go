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

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/options"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/informers/externalversions"
)

// flowControl is the engine.
type flowControl struct{ *options.FlowControl }

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

// applyFlowControl makes the engine, which enforces the objects that this server stores, and its
// part of the handler chain.
func (s *Server) applyFlowControl(context.Context) error {
	if !s.config.Features.EnablePriorityAndFairness {
		return nil
	}
	informers, err := s.ownInformers()
	if err != nil {
		return fmt.Errorf("flow control: %w", err)
	}
	sizes, err := newStoredSizes(informers.Levels, informers.Schemas)
	if err != nil {
		return fmt.Errorf("flow control: %w", err)
	}
	flowControlOptions := options.NewOptions()
	flowControlOptions.Informers, flowControlOptions.Seats, flowControlOptions.Total = informers, s.totalSeats(), s.config.TotalControl
	flowControlOptions.ListCost, flowControlOptions.Filter = s.config.ListCost, s.filterOptions(sizes)
	if err := flowControlOptions.ApplyTo(s.generic); err != nil {
		return fmt.Errorf("flow control: %w", err)
	}
	s.flowControl = &flowControl{s.generic.FlowControl.(*options.FlowControl)}
	for _, collector := range append(sizes.collectors(), s.store.Reads()) {
		if err := s.flowControl.Registry().Register(collector); err != nil {
			return fmt.Errorf("flow control: %w", err)
		}
	}
	lag := &configurationLag{status: s.flowControl.ConfigurationStatus, clock: s.config.Clock}
	s.generic.AddReadyzChecks(healthz.NamedCheck(configuredCheck, s.flowControl.check), healthz.NamedCheck(lagCheck, lag.check))
	return nil
}

// ownInformers returns the source of the configuration. Once started, the informers configure the
// engine.
func (s *Server) ownInformers() (*options.Informers, error) {
	client, err := versioned.NewForConfig(s.generic.LoopbackClientConfig)
	if err != nil {
		return nil, err
	}
	v1 := s.informers.Flowcontrol().V1()
	return &options.Informers{
		Levels:        v1.PriorityLevelConfigurations().Informer(),
		Schemas:       v1.FlowSchemas().Informer(),
		SchemaPatcher: client.FlowcontrolV1().FlowSchemas(),
		LevelGetter:   client.FlowcontrolV1().PriorityLevelConfigurations(),
	}, nil
}

// filterOptions returns what a request meets beside its seats.
func (s *Server) filterOptions(sizes storedSizes) filter.Options {
	of := filter.Options{
		Sizes:       sizes.average,
		CountsReads: true, // by namingTransformer
		ExemptLimit: filter.ExemptLimit{InFlight: s.config.MaxExemptRequestsInFlight, Bypasses: bypassesExemptLimit},
		Own:         isOwn,
		Explain:     newRejectionReaders(s.generic.Authorization.Authorizer, s.config.authorizesLocally()).include,
		Serializer:  s.generic.Serializer,
	}
	if s.generic.AuditBackend != nil {
		of.Annotations = s.config.AuditFlowControl.annotations()
	}
	return of
}

// totalSeats returns the seats of this server, 0 without flow control.
func (s *Server) totalSeats() int {
	if !s.config.Features.EnablePriorityAndFairness {
		return 0
	}
	return s.generic.MaxRequestsInFlight + s.generic.MaxMutatingRequestsInFlight
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
