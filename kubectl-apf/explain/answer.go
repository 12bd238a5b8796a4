package explain

import "github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"

// Answer is what flow control does with a request. Its JSON form is stable: fields may
// be added, not changed.
type Answer struct {
	Request Attributes `json:"request"`
	// Bypass says why the request is not subject to flow control; empty if it is. The flow schema
	// and the priority level are then as for a request that is not long-running.
	Bypass        string        `json:"bypass,omitempty"`
	FlowSchema    FlowSchema    `json:"flowSchema"`
	PriorityLevel PriorityLevel `json:"priorityLevel"`
	Flow          Flow          `json:"flow"`
	Seats         Seats         `json:"seats"`
	// Outcome sums up Replicas.
	Outcome Outcome `json:"outcome"`
	// Replicas are the API servers whose state is known.
	Replicas []Replica `json:"replicas"`
	// Trace are the flow schemas in matching order, up to the one that matches the
	// request.
	Trace []Step `json:"trace"`
	// Notes are sentences about what was inferred or assumed.
	Notes []string `json:"notes"`
}

// Attributes are what flow control and the estimator know about a request.
type Attributes struct {
	User   string   `json:"user"`
	Groups []string `json:"groups"`
	Verb   string   `json:"verb"`
	// Method and URL are the HTTP request's. The version in the URL of a resource request may be
	// inferred; flow control does not use it.
	Method string `json:"method"`
	URL    string `json:"url"`
	// ResourceRequest reports whether the fields below are meant, or only the URL.
	ResourceRequest bool   `json:"resourceRequest"`
	APIGroup        string `json:"apiGroup,omitempty"`
	Resource        string `json:"resource,omitempty"`
	Subresource     string `json:"subresource,omitempty"`
	Namespace       string `json:"namespace,omitempty"`
	Name            string `json:"name,omitempty"`
}

// FlowSchema is the flow schema that matches a request.
type FlowSchema struct {
	Name               string `json:"name"`
	UID                string `json:"uid,omitempty"`
	MatchingPrecedence int32  `json:"matchingPrecedence"`
	// DistinguisherMethod is ByUser, ByNamespace or empty.
	DistinguisherMethod string `json:"distinguisherMethod,omitempty"`
	// Rule is the path of the rule that matches, such as spec.rules[0].resourceRules[1]; empty if
	// no flow schema matches and the request matches catch-all.
	Rule string `json:"rule,omitempty"`
	// Subject is the subject that matches, such as "Group system:nodes".
	Subject string `json:"subject,omitempty"`
}

// PriorityLevel is the priority level of a request.
type PriorityLevel struct {
	Name string `json:"name"`
	UID  string `json:"uid,omitempty"`
	// Type is Exempt, Queue or Reject.
	Type             string `json:"type"`
	Queues           int    `json:"queues,omitempty"`
	HandSize         int    `json:"handSize,omitempty"`
	QueueLengthLimit int    `json:"queueLengthLimit,omitempty"`
	// Limits are one API server's: the first whose limits were read, if any.
	Limits Limits `json:"limits"`

	byFlow bool // the engine is pkg/apf
}

// Limits are the limits of a priority level in seats.
type Limits struct {
	configuration.Limits

	Current int `json:"current"`
	// Inferred reports whether a limit was computed for an idle server, since none tells it.
	Inferred bool `json:"inferred"`

	// told reports whether a server tells the nominal or the current one, idle whether the current one is inferred.
	told, idle bool
	// all is the total of the server if its upper limit is more, which no level can reach; otherwise 0.
	all int
}

// Flow is the flow of a request.
type Flow struct {
	Distinguisher string `json:"distinguisher"`
	// Tenant is the namespace whose service accounts are one tenant; empty if the flow is a tenant of its own.
	Tenant string `json:"tenant,omitempty"`
	// Hash is the hash of the flow in hexadecimal.
	Hash string `json:"hash"`
	// Hand are the queues that the flow may use, in the order of dealing; empty without queues. With the
	// engine pkg/apf a flow has a queue of its own: Hand is the number that dumps show it by.
	Hand []int `json:"hand"`
}

// Step is a flow schema that was compared with the request.
type Step struct {
	FlowSchema         string `json:"flowSchema"`
	MatchingPrecedence int32  `json:"matchingPrecedence"`
	PriorityLevel      string `json:"priorityLevel"`
	// Matches reports whether the request matches it.
	Matches bool `json:"matches"`
	// Reasons say, for each rule, the first thing that does not match.
	Reasons []Reason `json:"reasons,omitempty"`
}

// Reason is why a rule does not match.
type Reason struct {
	// Field is its path in the flow schema, such as
	// spec.rules[0].resourceRules[1].verbs; the spec for what concerns all rules.
	Field string `json:"field"`
	// Want are the values of the field, Got is the value of the request, where there
	// is one.
	Want []string `json:"want,omitempty"`
	Got  string   `json:"got,omitempty"`
	// Message is the reason as a sentence without the field.
	Message string `json:"message"`
}

// Seats are the seats of a request, and how they were computed.
type Seats struct {
	// Initial are held while the request executes. If AtMost is more, the number of
	// stored objects or of watchers is not known, and the request may take up to
	// AtMost seats.
	Initial int `json:"initial"`
	AtMost  int `json:"atMost"`
	// Final are held for LatencySeconds after the response.
	Final          int     `json:"final"`
	LatencySeconds float64 `json:"latencySeconds"`
	// Width is the number of seats that must be free.
	Width int `json:"width"`
	// Estimator names the formula: Kubernetes and a release, or
	// flowcontrol-apiserver.
	Estimator string `json:"estimator"`
	// Method is one, objects, bytes or watchers.
	Method string `json:"method"`
	// Source is "watch cache" or "etcd", for a list.
	Source string `json:"source,omitempty"`
	// StoredObjects and StoredBytes are what the server stores of the type, in all
	// namespaces; CountedObjects and CountedBytes are what the estimate counts.
	StoredObjects  int64 `json:"storedObjects,omitempty"`
	StoredBytes    int64 `json:"storedBytes,omitempty"`
	CountedObjects int64 `json:"countedObjects,omitempty"`
	CountedBytes   int64 `json:"countedBytes,omitempty"`
	// Watchers are the watches that a write notifies.
	Watchers int `json:"watchers,omitempty"`
	// Bound is the largest estimate: the estimator's or, if less, the priority level's, LevelBound.
	// 0 means none.
	Bound      int `json:"bound,omitempty"`
	LevelBound int `json:"levelBound,omitempty"`
	// Why is the computation as sentences.
	Why string `json:"why"`
}

// Decision is what happens to a request on an API server.
type Decision string

// The decisions.
const (
	Executes Decision = "executes"
	Waits    Decision = "waits"
	Rejected Decision = "rejected"
	// Unknown means that the state of the API server is not known.
	Unknown Decision = "unknown"
	// Differs means that not all API servers decide the same.
	Differs Decision = "differs"
)

// Outcome is a decision and its reason.
type Outcome struct {
	Decision Decision `json:"decision"`
	// Reason is the label of a rejection in metrics: queue-full or concurrency-limit.
	Reason string `json:"reason,omitempty"`
	// Why is one or more sentences.
	Why string `json:"why"`
}

// Replica is one API server and what happens to the request there.
type Replica struct {
	Name    string  `json:"name"`
	Outcome Outcome `json:"outcome"`
	Limits  Limits  `json:"limits"`
	// SeatsInUse, Executing and Waiting are the priority level's seats and requests; null if the API
	// server does not tell them.
	SeatsInUse *int `json:"seatsInUse"`
	Executing  *int `json:"executing"`
	Waiting    *int `json:"waiting"`
	// Tenant is what the tenant of Flow would get; null without one, or if the requests are not known.
	Tenant *Tenant `json:"tenant,omitempty"`
	// Hand are the queues of Flow.Hand. With the engine pkg/apf their figures are the flow's alone.
	Hand []Queue `json:"hand"`
}

// Queue is a queue of the hand.
type Queue struct {
	Index      int `json:"index"`
	Waiting    int `json:"waiting"`
	Executing  int `json:"executing"`
	SeatsInUse int `json:"seatsInUse"`
	// WorkSeconds is the work of the waiting requests in seat-seconds.
	WorkSeconds float64 `json:"workSeatSeconds"`
	// Chosen reports whether the request would wait here. If several are chosen, they
	// have equal work, and the request waits in one of them.
	Chosen bool `json:"chosen"`
}
