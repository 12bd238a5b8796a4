package lint

import "strings"

// Code identifies a kind of finding. A code is stable: it keeps its meaning, and the
// code of a check that was removed is not used again. The first digit is the group: 1
// FlowSchemas, 2 PriorityLevelConfigurations, 3 built-in objects, 4 manifests, 5
// servers that send requests themselves, 6 clients.
type Code string

// The codes. docs/kubectl-apf-findings.md explains each.
const (
	MissingLevel       Code = "FC101" // the priority level does not exist
	NoRules            Code = "FC102" // a FlowSchema without rules
	NeverMatches       Code = "FC103" // all its requests match earlier FlowSchemas
	SamePrecedence     Code = "FC104" // names decide between overlapping FlowSchemas
	NoClusterScope     Code = "FC105" // lists of all namespaces do not match
	ImpossibleAPIGroup Code = "FC106" // an API group that no request has
	ImpossibleResource Code = "FC107" // a resource that no request has
	ImpossibleVerb     Code = "FC108" // a verb that no request has
	ImpossibleURL      Code = "FC109" // a URL that no non-resource request has
	ImpossibleSubject  Code = "FC110" // a subject that no request has
	UnknownNamespace   Code = "FC111" // a namespace or service account that does not exist
	UnknownResource    Code = "FC112" // an API group or resource that is not served
	BroadExemption     Code = "FC113" // many clients escape flow control
	ImpossibleScope    Code = "FC114" // verbs, resources and scope that no request has together
	NotChecked         Code = "FC115" // comparing the FlowSchema takes too long
	MadeUpNamespaces   Code = "FC116" // clients make up the namespaces that are flows
	NoSeats            Code = "FC201" // a queue without seats
	UnusedLevel        Code = "FC202" // no FlowSchema names the level
	DeletedInUse       Code = "FC203" // FlowSchemas name a deleted level
	SharedHands        Code = "FC204" // one elephant fills the queues of many mice
	QueuesTooLong      Code = "FC205" // requests that cannot be served in time
	FewSeats           Code = "FC206" // one seat, or none
	BuiltInSharesDrop  Code = "FC207" // a built-in level loses half of its seats
	NoBorrowingEffect  Code = "FC208" // lending or borrowing that changes nothing
	LendsAll           Code = "FC209" // a level that may lend all its seats
	RevertedChange     Code = "FC301" // the server changes a built-in object back
	DeletedSuggestion  Code = "FC302" // the server creates the object again
	TakesFromBuiltIn   Code = "FC303" // important requests get fewer seats
	DeletedByServer    Code = "FC304" // the server takes the object for an obsolete one
	LostBuiltInClient  Code = "FC305" // a built-in schema no longer matches its client
	RemovedAPIVersion  Code = "FC401" // an API version that is not served
	DeprecatedVersion  Code = "FC402" // an API version that will be removed
	RenamedField       Code = "FC403" // assuredConcurrencyShares
	UnknownField       Code = "FC404" // a field that is dropped
	InvalidObject      Code = "FC405" // the server rejects the object
	RecursiveReviews   Code = "FC501" // a server's reviews wait for themselves
	NodeAgent          Code = "FC601" // an agent of nodes is in the level of unknown users
	HeldUpLeases       Code = "FC602" // an operator's leases wait in the level that it fills
	ClientLimit        Code = "FC603" // a client-side limit allows less than flow control
	FailedLists        Code = "FC604" // a server's informers of flow control fail
	DeprecatedCall     Code = "FC605" // a client calls an API version that will be removed
)

// document explains the codes. Each has a section whose heading is the code.
const document = "docs/kubectl-apf-findings.md"

// Link returns the section that explains the code, as a path in this repository.
func (c Code) Link() string { return document + "#" + strings.ToLower(string(c)) }

// Severity says how bad a finding is.
type Severity string

// The severities. An error does not do what its author wrote; a warning probably does
// not do what they meant; an info is worth to know.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// AtLeast reports whether the severity is at least as bad as the threshold.
func (s Severity) AtLeast(threshold Severity) bool { return s.rank() <= threshold.rank() }

func (s Severity) rank() int {
	switch s {
	case Error:
		return 0
	case Warning:
		return 1
	default:
		return 2
	}
}

// severity is the severity of the code, unless a check knows better.
func (c Code) severity() Severity {
	switch c {
	case MissingLevel, DeletedByServer, RemovedAPIVersion, RenamedField, UnknownField, InvalidObject:
		return Error
	case UnknownResource, MadeUpNamespaces, UnusedLevel, NoBorrowingEffect:
		return Info
	default:
		return Warning
	}
}
