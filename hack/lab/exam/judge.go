package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// mark is the verdict of a question.
type mark string

// The marks.
const (
	good       mark = "good"
	weak       mark = "weak"
	failed     mark = "failed"
	notLoaded  mark = "not loaded"  // the server was never busy, so nothing is known
	notOffered mark = "not offered" // the server does not have what the question needs
	stopped    mark = "stopped"     // the exam ended before
)

// answer is the result of a question.
type answer struct {
	Question string `json:"question"`
	Mark     mark   `json:"mark"`
	// Measured are the figures behind the mark.
	Measured string `json:"measured"`
	// Served is the part of the mice's requests that were served; P50 and P99 are their latencies in
	// seconds. They are nil in questions that are not about mice.
	Served *float64 `json:"miceServed,omitempty"`
	P50    *float64 `json:"miceP50Seconds,omitempty"`
	P99    *float64 `json:"miceP99Seconds,omitempty"`
}

// Bounds of marks. The mice's p99 may be tolerance times their p50 when nobody else asks, and slack more. FIFO order
// makes them wait for all requests of the elephants, which is 30 times as long on a server that serves a third
// of the rate.
const (
	tolerance, weakTolerance = 5, 16
	slack, weakSlack         = 50 * time.Millisecond, 500 * time.Millisecond
	goodServed, weakServed   = 0.99, 0.9
	soonAtRest, lateAtRest   = 2 * time.Second, 10 * time.Second
	restWindow               = time.Second
	tenantShare, nameShare   = 0.4, 0.5 / 151
	warmUp                   = 3 * time.Second // before it clients connect
	busyRatio                = 1.5             // of the elephants' p50 to the one of an elephant alone
	goodObeying              = 0.99
)

// Questions that are not named as a scene.
const (
	burstText = "a burst of 600 requests"
	obeyText  = "clients that obey Retry-After"
	leaseText = "lease renewals under load"
)

// judge marks every question.
func (t taken) judge(p plan) (answers []answer) {
	opening, _ := t.of(quiet)
	base := opening.samples.Of(mice).Quantile(0.5)
	alonePer, listPer := opening.samples.Of(alone).Quantile(0.5), opening.samples.Of(wideLists).Quantile(0.5)
	for _, name := range []string{oneElephant, elephants30, elephants150, freshNames, wideLists, leavers} {
		one := alonePer
		if name == wideLists {
			one = listPer
		}
		answers = append(answers, t.mouseBeside(name, base, one))
	}
	answers = append(answers, t.tenant(alonePer), t.afterBurst(base, alonePer))
	busy := slices.ContainsFunc(answers, func(a answer) bool { return a.Mark != notLoaded })
	renewals := t.renewals(p)
	if renewals.Mark == good && !busy {
		renewals.Mark = notLoaded
	}
	return append(answers, t.retryAfter(), renewals)
}

// loaded reports whether the requests of the flows waited or were rejected: the server was busy.
func loaded(samples measurement.Samples, one time.Duration) bool {
	unserved, _ := samples.Failed()
	return samples.Rejected() > 0 || unserved > 0 || samples.Left() > len(samples)/5 || samples.Quantile(0.5).Seconds() >= busyRatio*one.Seconds()
}

// besideText names a question about mice.
func besideText(name string) string { return "mice beside " + name }

func (t taken) mouseBeside(name string, base, one time.Duration) answer {
	a := answer{Question: besideText(name)}
	s, ok := t.of(name)
	if !ok {
		return a.is(stopped, "")
	}
	small := s.samples.Of(mice).Between(warmUp, s.lasts)
	a.figures(small)
	m := markOf(small, base)
	if m == good && !loaded(s.samples.Of(elephants), one) {
		m = notLoaded
	}
	return a.is(m, fmt.Sprintf("p99 %v, p50 alone %v; %s served; elephants: %d served, %d rejected, p50 %v, alone %v",
		short(small.Quantile(0.99)), short(base), percent(servedPart(small)),
		s.samples.Of(elephants).Served(), s.samples.Of(elephants).Rejected(), short(s.samples.Of(elephants).Quantile(0.5)), short(one)))
}

func (a answer) is(m mark, measured string) answer {
	a.Mark, a.Measured = m, measured
	return a
}

func (a *answer) figures(small measurement.Samples) {
	served, p50, p99 := servedPart(small), small.Quantile(0.5).Seconds(), small.Quantile(0.99).Seconds()
	a.Served, a.P50, a.P99 = &served, &p50, &p99
}

// markOf judges what the mice got by what they get when nobody else asks.
func markOf(small measurement.Samples, base time.Duration) mark {
	part, p99 := servedPart(small), small.Quantile(0.99)
	switch {
	case part >= goodServed && p99 <= tolerance*base+slack:
		return good
	case part >= weakServed && p99 <= weakTolerance*base+weakSlack:
		return weak
	}
	return failed
}

// servedPart is 0 without samples.
func servedPart(samples measurement.Samples) float64 {
	return float64(samples.Served()) / float64(max(len(samples), 1))
}

// tenant judges what a neighbour of one name gets beside a tenant of 150 names.
func (t taken) tenant(one time.Duration) answer {
	a := answer{Question: tenantNames}
	s, ok := t.of(tenantNames)
	if !ok {
		return a.is(stopped, "")
	}
	after := s.samples.Ended(warmUp, s.lasts)
	own, others := after.Of(neighbour), after.Of(crowd)
	share := float64(own.Served()) / float64(max(own.Served()+others.Served(), 1))
	text := fmt.Sprintf("the neighbour has %.3f of what is served; fair is 0.5 by tenants, %.3f by names", share, 1.0/151)
	switch {
	case !loaded(s.samples.Of(crowd, neighbour), one):
		return a.is(notLoaded, text)
	case share >= tenantShare:
		return a.is(good, text)
	case share >= nameShare:
		return a.is(weak, text)
	}
	return a.is(failed, text)
}

// afterBurst judges when the mice are at rest after a burst was sent, and whether all of it is served.
func (t taken) afterBurst(base, one time.Duration) answer {
	a := answer{Question: burstText}
	s, ok := t.of(burst)
	if !ok {
		return a.is(stopped, "")
	}
	a.figures(s.samples.Of(mice))
	requests := s.samples.Of(elephants)
	var sent, served time.Duration
	for _, sample := range requests {
		if sample.Try == 1 {
			sent = max(sent, sample.At)
		}
		if sample.Served() {
			served = max(served, sample.At+sample.Took)
		}
	}
	rest := s.samples.Of(mice).UntilRest(sent, s.lasts, restWindow, tolerance*base+slack)
	text := fmt.Sprintf("mice at rest %s after it was sent; sent within %.1f s, %d of %d served after %.1f s",
		after(rest), sent.Seconds(), requests.Served(), burstRequests, served.Seconds())
	m := failed
	switch {
	case rest <= soonAtRest && requests.Served() >= burstRequests:
		m = good
		if !loaded(requests, one) {
			m = notLoaded
		}
	case rest <= lateAtRest:
		m = weak
	}
	return a.is(m, text)
}

// retryAfter judges whether rejected clients are told when to retry, and whether the clients of the burst, who
// obey, are served in the end.
func (t taken) retryAfter() answer {
	a := answer{Question: obeyText}
	var all measurement.Samples
	for _, s := range t.scenes {
		all = append(all, s.samples.Of(elephants, crowd, neighbour, mice)...)
	}
	rejected := all.Where(measurement.Sample.Rejected)
	told := len(rejected.Where(func(s measurement.Sample) bool { return s.RetryAfter > 0 }))
	text := fmt.Sprintf("%d rejected, %d of them told when to come back", len(rejected), told)
	s, ok := t.of(burst)
	switch {
	case told < len(rejected):
		return a.is(failed, text)
	case !ok:
		return a.is(stopped, text)
	case len(rejected) == 0:
		return a.is(notLoaded, text)
	}
	obeying := s.samples.Of(elephants)
	part := float64(obeying.Served()) / burstRequests
	text += fmt.Sprintf("; %s of the burst served", percent(part))
	if part < goodObeying {
		return a.is(weak, text)
	}
	return a.is(good, text)
}

// renewals judges whether a holder would have lost its lease, and whether renewals were served.
func (t taken) renewals(p plan) answer {
	a := answer{Question: leaseText}
	if p.lease == nil {
		return a.is(notOffered, "the server has no leases that the exam may write")
	}
	var all measurement.Samples
	var longest time.Duration
	for _, s := range t.scenes {
		if s.scene == freshNames {
			continue // this question is about names that last
		}
		for holder := range holders {
			renewed := s.samples.Of(leaseOf(holder))
			all, longest = append(all, renewed...), max(longest, gap(renewed, s.lasts))
		}
	}
	text := fmt.Sprintf("%d of %d renewals served, p99 %v; a holder went at most %v without one, and loses its lease after %v",
		all.Served(), len(all), short(all.Quantile(0.99)), short(longest), renewDeadline)
	switch {
	case t.stopped != nil:
		return a.is(stopped, text)
	case longest <= renewDeadline && servedPart(all) >= goodServed:
		return a.is(good, text)
	case longest <= renewDeadline:
		return a.is(weak, text)
	}
	return a.is(failed, text)
}

// gap is the longest time of a scene without a renewal of a holder.
func gap(renewed measurement.Samples, lasts time.Duration) (longest time.Duration) {
	var served []time.Duration
	for _, s := range renewed.Where(measurement.Sample.Served) {
		served = append(served, s.At+s.Took)
	}
	slices.Sort(served)
	last := time.Duration(0)
	for _, at := range append(served, max(lasts, last)) {
		longest, last = max(longest, at-last), at
	}
	return longest
}

func after(d time.Duration) string {
	if d == measurement.Never {
		return "never"
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func percent(part float64) string { return fmt.Sprintf("%.1f%%", 100*part) }

// short rounds a time to three or four digits.
func short(d time.Duration) time.Duration {
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond)
	case d >= time.Millisecond:
		return d.Round(100 * time.Microsecond)
	}
	return d.Round(time.Microsecond)
}
