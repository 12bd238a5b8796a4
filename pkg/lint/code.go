package lint

import (
	"slices"
	"strings"
)

// Code identifies a kind of finding. A code is stable: it keeps its meaning, and the
// code of a check that was removed is not used again. The first digit is the group: 1
// FlowSchemas, 2 PriorityLevelConfigurations, 3 built-in objects, 4 manifests, 5
// servers that send requests themselves, 6 clients.
type Code string

// The codes. table has what each means.
const (
	MissingLevel       Code = "FC101"
	NoRules            Code = "FC102"
	NeverMatches       Code = "FC103"
	SamePrecedence     Code = "FC104"
	NoClusterScope     Code = "FC105"
	ImpossibleAPIGroup Code = "FC106"
	ImpossibleResource Code = "FC107"
	ImpossibleVerb     Code = "FC108"
	ImpossibleURL      Code = "FC109"
	ImpossibleSubject  Code = "FC110"
	UnknownNamespace   Code = "FC111"
	UnknownResource    Code = "FC112"
	BroadExemption     Code = "FC113"
	ImpossibleScope    Code = "FC114"
	NotChecked         Code = "FC115"
	OneFlow            Code = "FC116"
	Expired            Code = "FC117"
	MadeUpNamespaces   Code = "FC118"
	NoSeats            Code = "FC201"
	UnusedLevel        Code = "FC202"
	DeletedInUse       Code = "FC203"
	SharedHands        Code = "FC204"
	QueuesTooLong      Code = "FC205"
	FewSeats           Code = "FC206"
	BuiltInSharesDrop  Code = "FC207"
	NoBorrowingEffect  Code = "FC208"
	LendsAll           Code = "FC209"
	RevertedChange     Code = "FC301"
	DeletedSuggestion  Code = "FC302"
	TakesFromBuiltIn   Code = "FC303"
	DeletedByServer    Code = "FC304"
	LostBuiltInClient  Code = "FC305"
	RemovedAPIVersion  Code = "FC401"
	DeprecatedVersion  Code = "FC402"
	RenamedField       Code = "FC403"
	UnknownField       Code = "FC404"
	InvalidObject      Code = "FC405"
	RecursiveReviews   Code = "FC501"
	NodeAgent          Code = "FC601"
	HeldUpLeases       Code = "FC602"
	ClientLimit        Code = "FC603"
	FailedLists        Code = "FC604"
	DeprecatedCall     Code = "FC605"
	LostLease          Code = "FC606"
)

// entry is what is known of a code. document explains more.
type entry struct {
	code Code
	// severity is the severity of its findings, unless a check knows better.
	severity Severity
	title    string
}

// table has all codes, in order.
func table() []entry {
	return []entry{
		{MissingLevel, Error, "the priority level does not exist"},
		{NoRules, Warning, "a FlowSchema without rules"},
		{NeverMatches, Warning, "all its requests match earlier FlowSchemas"},
		{SamePrecedence, Warning, "names decide between overlapping FlowSchemas"},
		{NoClusterScope, Warning, "lists of all namespaces do not match"},
		{ImpossibleAPIGroup, Warning, "an API group that no request has"},
		{ImpossibleResource, Warning, "a resource that no request has"},
		{ImpossibleVerb, Warning, "a verb that no request has"},
		{ImpossibleURL, Warning, "a URL that no non-resource request has"},
		{ImpossibleSubject, Warning, "a subject that no request has"},
		{UnknownNamespace, Warning, "a namespace or service account that does not exist"},
		{UnknownResource, Info, "an API group or resource that is not served"},
		{BroadExemption, Warning, "many clients escape flow control"},
		{ImpossibleScope, Warning, "verbs, resources and scope that no request has together"},
		{NotChecked, Warning, "comparing the FlowSchema takes too long"},
		{OneFlow, Warning, "ByNamespace makes many users one flow"},
		{Expired, Warning, "an object that is meant for a time"},
		{MadeUpNamespaces, Info, "clients make up the namespaces that are flows"},
		{NoSeats, Warning, "a queue without seats"},
		{UnusedLevel, Info, "no FlowSchema names the level"},
		{DeletedInUse, Warning, "FlowSchemas name a deleted level"},
		{SharedHands, Warning, "one elephant fills the queues of many mice"},
		{QueuesTooLong, Warning, "requests that cannot be served in time"},
		{FewSeats, Warning, "one seat, or none"},
		{BuiltInSharesDrop, Warning, "a built-in level loses half of its seats"},
		{NoBorrowingEffect, Info, "lending or borrowing that changes nothing"},
		{LendsAll, Warning, "a level that may lend all its seats"},
		{RevertedChange, Warning, "the server changes a built-in object back"},
		{DeletedSuggestion, Warning, "the server creates the object again"},
		{TakesFromBuiltIn, Warning, "important requests get fewer seats"},
		{DeletedByServer, Error, "the server takes the object for an obsolete one"},
		{LostBuiltInClient, Warning, "a built-in schema no longer matches its client"},
		{RemovedAPIVersion, Error, "an API version that is not served"},
		{DeprecatedVersion, Warning, "an API version that will be removed"},
		{RenamedField, Error, "assuredConcurrencyShares"},
		{UnknownField, Error, "a field that is dropped"},
		{InvalidObject, Error, "the server rejects the object"},
		{RecursiveReviews, Warning, "a server's reviews wait for themselves"},
		{NodeAgent, Warning, "an agent of nodes is in the level of unknown users"},
		{HeldUpLeases, Warning, "an operator's leases wait in the level that it fills"},
		{ClientLimit, Warning, "a client-side limit allows less than flow control"},
		{FailedLists, Warning, "a server's informers of flow control fail"},
		{DeprecatedCall, Warning, "a client calls an API version that will be removed"},
		{LostLease, Warning, "a client could not renew the lease of its leader election"},
	}
}

// document explains the codes. Each has a section whose heading is the code.
const document = "docs/kubectl-apf-findings.md"

// Link returns the section that explains the code, as a path in this repository.
func (c Code) Link() string { return document + "#" + strings.ToLower(string(c)) }

// Severity says how bad a finding is.
type Severity string

// The severities. An error does not do what its author wrote; a warning probably does
// not do what they meant; an info is worth knowing.
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
	all := table()
	return all[slices.IndexFunc(all, func(e entry) bool { return e.code == c })].severity
}
