package explain

import (
	"fmt"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// The methods of an estimate.
const (
	methodOne      = "one"
	methodObjects  = "objects"
	methodBytes    = "bytes"
	methodWatchers = "watchers"
)

// estimate sets the seats.
func (e *Explainer) estimate(a *Answer, h httpRequest, attributes *flow.Attributes, level *engine.LevelConfig) {
	estimator, name, known := e.input.Configuration.Estimator()
	if !known {
		a.Notes = append(a.Notes, fmt.Sprintf("The release of the API server is not known: seats are computed as in %s.", name))
	}
	bound := level.MaxWidth(a.PriorityLevel.Limits.Nominal)
	resource := schema.GroupResource{Group: attributes.APIGroup, Resource: attributes.Resource}
	fact, known := e.input.Facts[resource]
	if !known {
		fact = replica.FactOf(e.input.Replicas, resource)
	}
	switch {
	case attributes.Verb == "list" || attributes.Verb == "watch":
		a.Seats = readSeats(estimator, h, fact, bound)
		if e.input.Configuration.Own && a.Seats.Method == methodBytes {
			a.Notes = append(a.Notes, learnedText)
		}
	case isReview(attributes):
		a.Seats = one("A review takes one seat: it is not stored, so it has no watchers.")
	case estimate.IsWrite(attributes):
		a.Seats = writeSeats(attributes.Verb, fact, bound)
	default:
		a.Seats = one(fmt.Sprintf("A %s takes one seat.", attributes.Verb))
	}
	a.Seats.Estimator, a.Seats.LevelBound = name, bound
	if a.Seats.AtMost > a.Seats.Width {
		a.Notes = append(a.Notes, a.Seats.unknownText())
	}
}

// isReview reports whether the request is for a TokenReview, a SubjectAccessReview or the like: these
// groups have nothing else.
func isReview(a *flow.Attributes) bool {
	return a.APIGroup == authenticationv1.GroupName || a.APIGroup == authorizationv1.GroupName
}

// one returns the estimate of one seat.
func one(why string) Seats { return seatsOf(estimate.One(), methodOne, why) }

func seatsOf(work seats.Work, method, why string) Seats {
	return Seats{
		Initial: work.Initial, Final: work.Final, LatencySeconds: work.Latency.Seconds(),
		Width: work.Width(), AtMost: work.Width(), Method: method, Why: why,
	}
}

// readSeats estimates a list or a watch.
func readSeats(estimator estimate.Estimator, h httpRequest, fact replica.Fact, bound int) Seats {
	options := &h.options
	read := estimate.Read{
		Watch: h.info.Verb == "watch", Named: h.info.Name != "",
		Selects: options.FieldSelector != "" || options.LabelSelector != "",
		Limit:   options.Limit, ResourceVersion: options.ResourceVersion,
		ResourceVersionMatch: string(options.ResourceVersionMatch), Continue: options.Continue,
		SendInitialEvents: options.SendInitialEvents,
	}
	cost, atMost := fact.Read(estimator, read, bound)
	if !cost.AsList {
		return one(whyOne(read, fact, estimator.Formula()))
	}
	return listSeats(estimator.Formula(), read, cost, atMost, fact)
}

// listSeats describes the estimate of a list, or of a watch that begins with one.
func listSeats(formula estimate.Formula, read estimate.Read, cost estimate.Cost, atMost int, fact replica.Fact) Seats {
	s := seatsOf(cost.Work, methodObjects, "")
	s.Source, s.Bound, s.StoredObjects = "etcd", cost.Bound, max(fact.Objects, 0)
	if cost.Cached {
		s.Source = "watch cache"
	}
	if formula.BySize {
		s.Method = methodBytes
	}
	if !fact.Suffices(formula) {
		s.AtMost = atMost
		unknown := "The average size of the stored objects is known to the server alone."
		if fact.Objects < 0 {
			unknown = "The number of stored objects is not known."
		}
		s.Why = fmt.Sprintf("%s%s The list takes 1 to %s.", beginning(read), unknown, table.Count(s.AtMost, "seat"))
		return s
	}
	s.StoredBytes, s.CountedObjects, s.CountedBytes = max(fact.Bytes, 0), cost.Objects, cost.Bytes
	sentences := []string{beginning(read) + serverText(cost)}
	if formula.BySize {
		sentences = append(sentences, bytesText(read, fact, cost)...)
	} else {
		sentences = append(sentences, objectsText(read, fact, cost)...)
	}
	sentences = append(sentences, boundText(cost))
	s.Why = strings.Join(sentences, " ")
	return s
}

// writeSeats estimates a write.
func writeSeats(verb string, fact replica.Fact, bound int) Seats {
	work := estimate.Write(max(fact.Watchers, 0), bound)
	s := seatsOf(work, methodWatchers, "")
	s.Watchers, s.Bound = max(fact.Watchers, 0), estimate.MaxWidth
	if bound > 0 {
		s.Bound = min(bound, estimate.MaxWidth)
	}
	if fact.Watchers < 0 {
		s.AtMost = max(s.Width, s.Bound)
	}
	s.Why = writeText(verb, fact.Watchers, work)
	return s
}
