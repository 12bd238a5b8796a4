package why

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

const (
	// saturated and idle are fractions of the limit. A level is short of seats if its
	// mean demand is above the first; below the second, rejections come from bursts.
	saturated = 0.9
	idle      = 0.5
	// dominant is the least fraction of one flow or kind of request that counts as the cause.
	dominant = 0.5
	// slow is the least mean duration that makes lists of unknown width worth paging.
	slow = time.Second
	// pageLimit is the limit that lists should have: the limit of kubectl and client-go.
	pageLimit = 500
)

// remedies returns what to change for a flow of the query.
func (i *Inquiry) remedies(key flowKey, s *levelState) []Remedy {
	a := i.asked[key]
	if a.rejections()+a.delayed == 0 {
		return nil
	}
	if s.Type == queueset.Exempt.String() {
		return []Remedy{lessExempt(a)}
	}
	find := []func(flowKey, *levelState) *Remedy{i.divide, i.page, i.unwatch, i.moreBorrowing, i.moreShares}
	if i.filter() == "" { // others may be the cause
		find = slices.Concat([]func(flowKey, *levelState) *Remedy{i.isolate}, find, []func(flowKey, *levelState) *Remedy{i.pageOthers, i.queue, i.longerQueues})
	}
	var all []Remedy
	for _, find := range find {
		if remedy := find(key, s); remedy != nil {
			all = append(all, *remedy)
		}
	}
	return all
}

// lessExempt is for requests that no priority level limits, only the server's bound.
func lessExempt(a *usage) Remedy {
	sent := "most of them"
	if a.remembered {
		sent = "the last of them"
	}
	return Remedy{
		Action:  "Make it send fewer requests at once, or raise --max-exempt-requests-inflight if the load is intended.",
		Because: fmt.Sprintf("%d exempt requests were rejected since too many were in flight, and %s sent %s.", a.rejections(), most(a.users, 1)[0].Name, sent),
	}
}

// isolate is for a level where one flow uses most seats.
func (i *Inquiry) isolate(key flowKey, s *levelState) *Remedy {
	if s.capacity <= 0 || len(s.Heaviest) == 0 { // the limit is unknown, or what was used
		return nil
	}
	heaviest := flowKey{level: key.level, schema: s.Heaviest[0].FlowSchema, distinguisher: s.Heaviest[0].Distinguisher}
	share, _ := s.fairShareOf(heaviest)
	used, fair := i.all[heaviest].used.least, share.most
	if len(s.keys) < 2 || used < dominant*s.used.most || used < fair || s.used.least < idle*s.capacity {
		return nil
	}
	who := fmt.Sprintf("flow %q of flow schema %s", heaviest.distinguisher, heaviest.schema)
	if heaviest.distinguisher == "" {
		who = "flow schema " + heaviest.schema
	}
	return &Remedy{
		Action: fmt.Sprintf("Isolate the %s: give it its own flow schema and priority level, or make it send less.", who),
		Because: fmt.Sprintf("It used %.0f of %.0f seat-seconds of priority level %s, %.1f times its fair share; %d other flows shared the rest.",
			used, s.used.least, key.level, used/max(fair, 1e-9), len(s.keys)-1),
	}
}

// divide is for users who share one flow, if one sends most requests.
func (i *Inquiry) divide(key flowKey, s *levelState) *Remedy {
	a := i.all[key]
	users := most(a.users, 2)
	schema := i.flowSchema(key.schema)
	if s.Type != queueset.Queue.String() || schema == nil || schema.Spec.DistinguisherMethod != nil || len(users) < 2 || a.remembered {
		return nil
	}
	first := users[0]
	if float64(first.Requests) < dominant*float64(a.requests) || first.Name == i.query.User {
		return nil
	}
	return &Remedy{
		Action:  fmt.Sprintf("Set distinguisherMethod ByUser in flow schema %s, so that its users do not share queues.", key.schema),
		Because: fmt.Sprintf("Its users are one flow, and %s sent %d of %d requests.", first.Name, first.Requests, a.requests),
		Object:  "FlowSchema/" + key.schema, Field: "spec.distinguisherMethod.type", To: string(flowcontrolv1.FlowDistinguisherMethodByUserType),
	}
}

// page is for a flow that uses most seat-seconds for lists without a limit.
func (i *Inquiry) page(key flowKey, _ *levelState) *Remedy {
	a := i.all[key]
	return i.pageLists(&a.unlimited, a.used, "", "the flow")
}

// pageOthers is for a level that lists without a limit, of other flows too, may have filled.
func (i *Inquiry) pageOthers(key flowKey, s *levelState) *Remedy {
	if i.page(key, s) != nil || s.used.most < idle*s.capacity {
		return nil
	}
	var all kindOfRequest
	used := map[string]int{}
	for _, other := range s.keys {
		lists := &i.all[other].unlimited
		all.join(lists)
		if lists.requests > 0 {
			for name := range i.all[other].users {
				used[name] += int(lists.used.most)
			}
		}
	}
	var names []string
	for _, user := range most(used, 3) {
		names = append(names, user.Name)
	}
	more := ""
	if n := len(used) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return i.pageLists(&all, s.used, " of "+strings.Join(names, ", ")+more, "priority level "+key.level)
}

// pageLists is for lists without a limit that use most of some seat-seconds.
func (i *Inquiry) pageLists(k *kindOfRequest, of amount, whose, whole string) *Remedy {
	if k.requests == 0 || k.used.least < dominant*of.least {
		return nil
	}
	n := float64(k.requests)
	mean := k.took / time.Duration(k.requests)
	if k.seats.least <= n && mean < slow {
		return nil
	}
	resource := most(k.resources, 1)[0].Name
	action := fmt.Sprintf("Page lists of %s with limit=%d, or watch instead of listing again.", resource, pageLimit)
	if !i.pagesAreCheaper(resource) {
		action = fmt.Sprintf("Watch %s instead of listing them again. A limit does not lower the seats of a list here.", resource)
	}
	text := func(format string, a amount) string { return between(format, &a.least, a.atMost()) }
	return &Remedy{
		Action: action,
		Because: fmt.Sprintf("%d lists without a limit%s used %s of %s seat-seconds of %s: %s seats for %v on average.",
			k.requests, whose, text("%.0f", k.used), text("%.0f", of), whole, text("%.1f", k.seats.times(1/n)), mean.Round(time.Millisecond)),
	}
}

// pagesAreCheaper reports whether a page takes fewer seats than a list of all objects, if there are many.
func (i *Inquiry) pagesAreCheaper(resource string) bool {
	stored := estimate.Stored{Objects: 100_000, Size: 1_000}
	if fact := replica.FactOf(i.replicas, kschema.ParseGroupResource(resource)); fact.Suffices(i.estimator.Formula()) {
		stored = estimate.Stored{Objects: fact.Objects, Size: fact.Size(), Unknown: fact.Absent}
	}
	seats := func(limit int64) int { return i.estimator.Read(estimate.Read{Limit: limit}, stored, 0).Work.Initial }
	return seats(pageLimit) < seats(0)
}

// unwatch is for a flow that uses most seat-seconds for writes that many watchers are notified of.
func (i *Inquiry) unwatch(key flowKey, _ *levelState) *Remedy {
	a := i.all[key]
	k := &a.fanned
	if k.requests == 0 || k.used.least < dominant*a.used.most {
		return nil
	}
	return &Remedy{
		Action: fmt.Sprintf("Reduce the watchers of %s: watch a namespace or a selector instead of all objects.", most(k.resources, 1)[0].Name),
		Because: fmt.Sprintf("%d writes used %.1f of %.1f seat-seconds of the flow and notified about %d watchers each.",
			k.requests, k.used.least, a.used.least, int(k.seats.least)*watchersPerSeat/k.requests),
	}
}

// moreBorrowing is for a level whose borrowing limit holds it back now.
func (i *Inquiry) moreBorrowing(key flowKey, s *levelState) *Remedy {
	share := i.inForce.Levels[key.level].Config.Share
	if !s.Current || share.BorrowingLimitPercent == nil || s.nominal == 0 ||
		s.metrics.current < s.metrics.upper || s.metrics.demand <= float64(s.metrics.upper) {
		return nil
	}
	lent := 0 // by the others, at most
	for name, other := range i.inForce.Levels {
		if name != key.level {
			lent += other.Limits.Nominal - other.Limits.Lower
		}
	}
	borrowed := min(int(math.Ceil(s.metrics.demand))-s.nominal, lent)
	if s.nominal+borrowed <= s.metrics.upper {
		return nil
	}
	to := int32((borrowed*100 + s.nominal - 1) / s.nominal)
	return &Remedy{
		Action: fmt.Sprintf("Raise borrowingLimitPercent of priority level %s from %d to %d.", key.level, *share.BorrowingLimitPercent, to),
		Because: fmt.Sprintf("Requests demand %.0f seats. It has %d, its upper limit: %d nominal, %d borrowed. The other levels lend up to %d.",
			s.metrics.demand, s.metrics.upper, s.nominal, s.metrics.upper-s.nominal, lent),
		Object: levelObject(key.level), Field: "spec.limited.borrowingLimitPercent", From: *share.BorrowingLimitPercent, To: to,
	}
}

// moreShares is for a level that is short of seats.
func (i *Inquiry) moreShares(key flowKey, s *levelState) *Remedy {
	wanted := s.wanted.least
	if s.limit <= 0 || wanted < saturated*s.limit || wanted <= float64(s.nominal)*saturated {
		return nil
	}
	because := fmt.Sprintf("Its requests ask for %.1f seats on average, and its limit is %.0f on each server.", wanted, s.limit)
	seats := int(math.Ceil(wanted / saturated))
	raise, ok := raiseShares(i.configuration, key.level, seats)
	if !ok {
		return &Remedy{
			Action:  "Make its clients send less, or raise the seats of the server: --max-requests-inflight and --max-mutating-requests-inflight.",
			Because: because + fmt.Sprintf(" No shares of priority level %s give it %d seats and leave the others half of theirs.", key.level, seats),
		}
	}
	if raise.from == raise.to {
		return nil
	}
	return &Remedy{
		Action:  fmt.Sprintf("Raise nominalConcurrencyShares of priority level %s from %d to %d.", key.level, raise.from, raise.to),
		Because: because + fmt.Sprintf(" This gives it %d seats, %d more; the others lose %d of them.", raise.seats, raise.seats-s.nominal, raise.lost),
		Object:  levelObject(key.level), Field: "spec.limited.nominalConcurrencyShares", From: raise.from, To: raise.to,
	}
}

// queue is for a level without queues that has bursts.
func (i *Inquiry) queue(key flowKey, s *levelState) *Remedy {
	n := i.asked[key].rejected[queueset.ConcurrencyLimit.String()]
	if n == 0 || s.Type != queueset.Reject.String() || float64(s.requests*estimate.MaxWidth) < s.limit || s.wanted.most > idle*s.limit || s.Demanded == nil {
		return nil
	}
	return &Remedy{
		Action:  fmt.Sprintf("Let requests of priority level %s wait: set limitResponse.type to Queue.", key.level),
		Because: bursts(n, queueset.ConcurrencyLimit, s),
		Object:  levelObject(key.level), Field: "spec.limited.limitResponse.type", From: queueset.Reject.String(), To: queueset.Queue.String(),
	}
}

// longerQueues is for a level whose queues are too short for bursts. A log with fewer requests than fill a
// queue lacks the cause.
func (i *Inquiry) longerQueues(key flowKey, s *levelState) *Remedy {
	n := i.asked[key].rejected[queueset.QueueFull.String()]
	length := i.inForce.Levels[key.level].Config.QueueLengthLimit
	if n == 0 || length == 0 || s.requests <= length || s.wanted.most > idle*s.limit || s.Demanded == nil {
		return nil
	}
	return &Remedy{
		Action:  fmt.Sprintf("Raise queueLengthLimit of priority level %s from %d to %d.", key.level, length, 2*length),
		Because: bursts(n, queueset.QueueFull, s),
		Object:  levelObject(key.level), Field: "spec.limited.limitResponse.queuing.queueLengthLimit", From: length, To: 2 * length,
	}
}

func bursts(n int, reason queueset.Reason, s *levelState) string {
	return fmt.Sprintf("%d requests were rejected with %s, although the level was asked for only %s of %.0f seats on average: they came in bursts.",
		n, reason, between("%.1f", &s.wanted.least, s.wanted.atMost()), s.limit)
}

func levelObject(name string) string { return "PriorityLevelConfiguration/" + name }
