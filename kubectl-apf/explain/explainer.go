package explain

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/longrunning"
)

// Facts are what is known about resources.
type Facts map[schema.GroupResource]replica.Fact

// Input is what is known about the API servers.
type Input struct {
	// Configuration is enforced. Its notes become notes of the answers; they say so if
	// the total is not known.
	Configuration configuration.Configuration
	// Facts are the stored objects and the watchers, where they are known better than
	// by Replicas.
	Facts Facts
	// Replicas are the states of the API servers; empty if unknown.
	Replicas []replica.Replica
	// Now is the time of the engine's clock.
	Now time.Time
}

// Explainer explains requests under one configuration. It is not safe for concurrent
// use.
type Explainer struct {
	input   Input
	inForce *configuration.InForce
	// order are the flow schemas in matching order, with those whose priority level
	// does not exist.
	order []*rules.Schema
	notes []string
	// byFlow reports whether the API servers have the engine pkg/apf.
	byFlow bool
}

// New returns an Explainer.
func New(in Input) *Explainer {
	e := &Explainer{input: in, inForce: in.Configuration.InForce(in.Now), byFlow: in.Configuration.Own}
	for i := range in.Replicas {
		e.byFlow = e.byFlow || in.Replicas[i].Metrics.ByFlow
	}
	e.notes = slices.Concat(in.Configuration.Notes, e.inForce.Notes)
	e.order = matchingOrder(e.inForce.Schemas(), in.Configuration)
	return e
}

// Explain returns what happens to the request, or an error if it is not a request.
func (e *Explainer) Explain(r Request) (Answer, error) {
	if r.User == "" {
		return Answer{}, errors.New("the user of the request is required, such as --as=system:serviceaccount:default:builder")
	}
	h, err := r.http()
	if err != nil {
		return Answer{}, err
	}
	who, notes := requester(r.User, r.Groups)
	begun := e.inForce.Begin()
	defer begun.End()
	filter.FillAttributes(&begun.Attributes, h.info, who)
	begun.Classify()
	matched, level := begun.Schema(), e.inForce.Levels[begun.Level().Name]

	a := Answer{
		Request:       attributesOf(h, who),
		Bypass:        e.bypass(&begun.Attributes),
		FlowSchema:    schemaOf(matched, &begun.Attributes),
		PriorityLevel: e.levelOf(&level.Config),
		Flow:          e.flowOf(matched, &level.Config, &begun.Attributes),
		Trace:         e.trace(matched, &begun.Attributes),
		Notes:         slices.Concat([]string{}, e.notes, r.Notes, h.notes, notes),
		Replicas:      []Replica{},
	}
	a.Flow.Tenant = begun.Tenant
	a.PriorityLevel.Limits = e.limitsOf(level.Config.Name)
	if a.FlowSchema.Rule == "" {
		a.Notes = append(a.Notes, fmt.Sprintf("No flow schema matches the request. The API server treats it as one of %q.", rules.CatchAll))
	}
	if r.Inferred {
		a.Notes = append(a.Notes, fmt.Sprintf("The API version and the scope of %q are assumed.", r.Resource))
	}
	e.estimate(&a, h, &begun.Attributes, &level.Config)
	e.decide(&a, &level.Config)
	return a, nil
}

// bypass returns why the API server does not subject a request to flow control; empty if
// it does. For flowcontrol-apiserver only watches and profiles are long-running.
func (e *Explainer) bypass(a *flow.Attributes) string {
	what := "for the subresource " + a.Subresource
	switch {
	case longrunning.IsProfile(a):
		what = "for a profile"
	case e.input.Configuration.Own || !longrunning.Is(a):
		return ""
	case a.Verb == "proxy":
		what = "with the verb proxy"
	}
	return fmt.Sprintf("A request %s is long-running. Flow control does not apply to it.", what)
}

func attributesOf(h httpRequest, who user.Info) Attributes {
	return Attributes{
		User: who.GetName(), Groups: append([]string{}, who.GetGroups()...),
		Verb: h.info.Verb, Method: h.method, URL: h.url.RequestURI(), ResourceRequest: h.info.IsResourceRequest,
		APIGroup: h.info.APIGroup, Resource: h.info.Resource, Subresource: h.info.Subresource,
		Namespace: h.info.Namespace, Name: h.info.Name,
	}
}
