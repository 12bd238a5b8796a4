package why

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
)

// LeaseLimits are the limits of a leader election.
type LeaseLimits struct {
	// Duration is how long a lease that is not renewed keeps others out, Deadline how long a leader tries to
	// renew it, and Period the time between two tries.
	Duration, Deadline, Period time.Duration
}

// DefaultLeaseLimits are client-go's recommended limits, which controller-runtime has too.
func DefaultLeaseLimits() LeaseLimits {
	return LeaseLimits{15 * time.Second, 10 * time.Second, 2 * time.Second}
}

const (
	// near is the part of the renew deadline from where on a gap is told.
	near = 0.5
	// maxTries bounds the requests of a gap that are kept, and maxGaps the gaps of a lease.
	maxTries, maxGaps = 50, 20
	// heartbeats is the namespace of the leases of nodes, which elect nobody.
	heartbeats = "kube-node-lease"
)

// Leases finds out why leaders could not renew their leases. Create one with NewLeases. Requests come in the order
// of their arrivals; lines of a client come before them.
type Leases struct {
	// name is NAMESPACE/NAME; "" for all.
	name   string
	limits LeaseLimits
	place  func(*logs.Request) string // the level
	of     map[string]*leaseState
	// lines are of the client, and waits when it waited for its own limit.
	lines []logs.LeaseLine
	waits []logs.Wait
	last  time.Time
}

// leaseState is what is known of a lease so far.
type leaseState struct {
	since    time.Time // the end of the last renewal, or the first try
	holder   string
	level    string
	renewals int
	usual    []time.Duration // gaps, at most maxUsual of them
	tries    []Try           // since the last renewal
	more     int             // tries that are not kept
	gaps     []Gap
}

// maxUsual bounds the gaps that the usual one is computed of.
const maxUsual = 1000

// Try is one request to renew a lease. What is unknown is null; times are in seconds.
type Try struct {
	At      time.Time `json:"at"`
	Verb    string    `json:"verb"`
	Status  int       `json:"status"`
	Renewed bool      `json:"renewed"`
	// Waited is the time in flow control, Etcd the time of etcd, and Took the whole time.
	Waited *float64 `json:"waited"`
	Etcd   *float64 `json:"etcd"`
	Took   *float64 `json:"took"`
	// Rejected is why flow control rejected it.
	Rejected string     `json:"rejected,omitempty"`
	Cause    logs.Cause `json:"cause,omitempty"`
}

// Gap is the time between two renewals of a lease. Times are in seconds.
type Gap struct {
	Since   time.Time `json:"since"`
	Seconds float64   `json:"seconds"`
	// Open reports that the lease was not renewed until the end of the evidence.
	Open bool `json:"open,omitempty"`
	// Lost reports that the gap is longer than the renew deadline, so that the leader gave up.
	Lost bool `json:"lost"`
	// By are the seconds by what the leader waited for; none of them for the usual time between two renewals.
	By map[logs.Cause]float64 `json:"by"`
	// Cause is what it waited for most, and Sure how sure that is.
	Cause logs.Cause `json:"cause"`
	Sure  Sureness   `json:"sure"`
	Tries []Try      `json:"tries"`
	// Said are errors of the client's log, each once.
	Said []string `json:"said,omitempty"`
}

// Sureness is how sure a cause is.
type Sureness string

// The degrees. A certain cause is told by annotations, reasons or the client; a likely one follows from durations.
const (
	Certain  Sureness = "certain"
	Likely   Sureness = "likely"
	Unclear  Sureness = "unclear"
	sureness          = 0.8 // the least part of the time that a certain cause explains
)

// NewLeases returns Leases for a lease, NAMESPACE/NAME; "" for all. place names the priority level of a request.
func NewLeases(name string, limits LeaseLimits, place func(*logs.Request) string) *Leases {
	return &Leases{name: name, limits: limits, place: place, of: map[string]*leaseState{}}
}

// Say takes a line of the client's log.
func (l *Leases) Say(line logs.LeaseLine) { l.lines = append(l.lines, line) }

// Wait takes a wait of the client's log.
func (l *Leases) Wait(w logs.Wait) {
	if !w.ByServer && !w.Failed && (w.Attributes.Resource == "leases" || w.Attributes.Resource == "") {
		l.waits = append(l.waits, w)
	}
}

// Observe takes a request.
func (l *Leases) Observe(r *logs.Request) {
	if end := r.End(); end.After(l.last) {
		l.last = end
	}
	name := r.Namespace + "/" + r.Name
	if r.Resource != "leases" || r.APIGroup != "coordination.k8s.io" || r.Namespace == heartbeats || r.Name == "" || l.name != "" && l.name != name {
		return
	}
	isWrite := slices.Contains([]string{"create", "update", "patch"}, r.Verb)
	t := tryOf(r)
	s, who := l.of[name], cmp.Or(r.User, r.Client)
	if s == nil {
		if !isWrite && !t.failed() {
			return // of one that does not lead
		}
		s = &leaseState{holder: who, level: l.place(r)}
		l.of[name] = s
	}
	if who != s.holder && !isWrite {
		return
	}
	if t.Renewed = isWrite && r.Status >= http.StatusOK && r.Status < http.StatusMultipleChoices; !t.Renewed {
		if s.since.IsZero() {
			s.since = r.Arrival // it was renewed before, or never
		}
		s.keep(t)
		return
	}
	s.keep(t)
	if !s.since.IsZero() {
		l.gap(s, name, r.End(), false)
	}
	s.renewals++
	s.since, s.holder, s.level, s.tries, s.more = r.End(), who, l.place(r), nil, 0
}

// failed reports whether the API server did not answer the request. A lease that is not there yet is an answer.
func (t *Try) failed() bool {
	return t.Rejected != "" || t.Status >= http.StatusBadRequest && t.Status != http.StatusNotFound
}

func (s *leaseState) keep(t Try) {
	if len(s.tries) < maxTries {
		s.tries = append(s.tries, t)
	} else {
		s.more++
		s.tries[maxTries-1] = t
	}
}

// tryOf returns what is known of a request.
func tryOf(r *logs.Request) Try {
	t := Try{At: r.Arrival, Verb: r.Verb, Status: r.Status, Rejected: r.Rejected}
	if r.Latency != nil {
		t.Took = new(r.Latency.Seconds())
	}
	if wait, known := r.Waited(latencyThreshold); known {
		t.Waited = new(wait.Seconds())
	}
	if r.Etcd != nil {
		t.Etcd = new(r.Etcd.Seconds())
	}
	return t
}

// limitsOf returns the limits of a lease. If its client renews it more seldom than client-go does, they are
// longer in proportion.
func (l *Leases) limitsOf(s *leaseState) LeaseLimits {
	limits, usual := l.limits, median(s.usual)
	if limits == (LeaseLimits{}) {
		limits = DefaultLeaseLimits()
		if usual > 2*limits.Period {
			factor := float64(usual) / float64(limits.Period)
			limits = LeaseLimits{scaled(limits.Duration, factor), scaled(limits.Deadline, factor), scaled(limits.Period, factor)}
		}
	}
	return limits
}

func scaled(d time.Duration, factor float64) time.Duration {
	return time.Duration(float64(d) * factor).Round(time.Second)
}

func median(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// gap ends the time since the last renewal.
func (l *Leases) gap(s *leaseState, name string, until time.Time, open bool) {
	length := until.Sub(s.since)
	limits := l.limitsOf(s)
	if len(s.usual) < maxUsual && s.renewals > 0 {
		s.usual = append(s.usual, length)
	}
	if float64(length) < near*float64(limits.Deadline) {
		return
	}
	g := Gap{Since: s.since, Seconds: length.Seconds(), Open: open, Tries: s.tries}
	l.explain(&g, name, limits)
	s.gaps = append(s.gaps, g)
	slices.SortStableFunc(s.gaps, func(a, b Gap) int { return cmp.Compare(b.Seconds, a.Seconds) })
	s.gaps = s.gaps[:min(len(s.gaps), maxGaps)]
}

// explain finds what a leader waited for in a gap.
func (l *Leases) explain(g *Gap, name string, limits LeaseLimits) {
	g.By = map[logs.Cause]float64{}
	rest, told := g.Seconds-limits.Period.Seconds(), true
	add := func(cause logs.Cause, seconds float64) {
		seconds = min(max(0, seconds), rest)
		if rest -= seconds; seconds > 0 {
			g.By[cause] += seconds
		}
	}
	for i := range g.Tries {
		told = g.Tries[i].explain(limits, add) && told
	}
	until := g.Since.Add(time.Duration(g.Seconds * float64(time.Second)))
	within := func(at time.Time) bool { return at.After(g.Since) && !at.After(until.Add(limits.Period)) }
	own := 0.0
	for _, w := range l.waits {
		if within(w.At) {
			own += w.Delay.Seconds()
		}
	}
	says := map[logs.Cause]int{}
	// A line without a lease is about the leases that other lines name.
	isNamed := func(line logs.LeaseLine) bool { return line.Lease == name }
	is := slices.ContainsFunc(l.lines, isNamed) || !slices.ContainsFunc(l.lines, func(line logs.LeaseLine) bool { return line.Lease != "" })
	for _, line := range l.lines {
		if (isNamed(line) || line.Lease == "" && is) && within(line.At) {
			says[line.Cause]++
			if !slices.Contains(g.Said, line.Why) && line.Why != "" {
				g.Said = append(g.Said, line.Why)
			}
		}
	}
	if says[logs.CauseOwnLimit] > 0 {
		own = max(own, rest) // it failed before it was sent
	}
	add(logs.CauseOwnLimit, own)
	if says[logs.CauseServer] > 0 {
		add(logs.CauseServer, rest)
	}
	add(logs.CauseNotArrived, rest)
	g.Cause, g.Sure = logs.CauseUnknown, Unclear
	for _, cause := range slices.Sorted(maps.Keys(g.By)) {
		if g.By[cause] > g.By[g.Cause] {
			g.Cause = cause
		}
	}
	switch all := g.Seconds - limits.Period.Seconds(); {
	case g.Cause == logs.CauseNotArrived || g.Cause == logs.CauseUnknown:
	case told && g.By[g.Cause] >= sureness*all:
		g.Sure = Certain
	case g.By[g.Cause] >= all/2:
		g.Sure = Likely
	}
}

// explain adds what a request waited for. It reports whether the log tells it, so that nothing is inferred.
func (t *Try) explain(limits LeaseLimits, add func(logs.Cause, float64)) (told bool) {
	took := 0.0
	if t.Took != nil {
		took = *t.Took
	}
	waited, etcd := 0.0, 0.0
	if t.Waited != nil {
		waited = *t.Waited
	}
	if t.Etcd != nil {
		etcd = min(*t.Etcd, took-waited)
	}
	by := map[logs.Cause]float64{logs.CauseFlowControl: waited, logs.CauseEtcd: etcd, logs.CauseServer: took - waited - etcd}
	switch {
	case t.Rejected != "":
		by = map[logs.Cause]float64{logs.CauseFlowControl: took + limits.Period.Seconds()}
	case t.Status == http.StatusConflict:
		by[logs.CauseHolder] = limits.Period.Seconds()
	case t.failed() && t.Status < http.StatusInternalServerError:
		by[logs.CauseError] = limits.Period.Seconds()
	}
	for _, cause := range slices.Sorted(maps.Keys(by)) {
		if by[cause] > max(by[t.Cause], 0.1) {
			t.Cause = cause
		}
	}
	if t.Status >= http.StatusInternalServerError { // and it was tried again
		by[cmp.Or(t.Cause, logs.CauseServer)] += limits.Period.Seconds()
	}
	for _, cause := range slices.Sorted(maps.Keys(by)) {
		add(cause, by[cause])
	}
	return t.Rejected != "" || took < latencyThreshold.Seconds() || t.Waited != nil && t.Etcd != nil
}

// Result returns what is known. Observe must not be called afterwards.
func (l *Leases) Result() LeaseResult {
	r := LeaseResult{Lease: l.name, Leases: []Lease{}}
	for _, name := range slices.Sorted(maps.Keys(l.of)) {
		s := l.of[name]
		late := l.last.Sub(s.since) > l.limitsOf(s).Deadline && (len(s.tries) > 0 || l.name != "")
		if n := len(s.tries); late || n > 0 && s.tries[n-1].failed() {
			l.gap(s, name, l.last, true)
		}
		limits := l.limitsOf(s) // now the usual time is known
		s.gaps = slices.DeleteFunc(s.gaps, func(g Gap) bool { return g.Seconds < near*limits.Deadline.Seconds() })
		for g := range s.gaps {
			s.gaps[g].Lost = s.gaps[g].Seconds > limits.Deadline.Seconds()
		}
		if len(s.gaps) == 0 && l.name == "" {
			continue
		}
		r.Leases = append(r.Leases, Lease{
			Name: name, Holder: s.holder, Level: s.level, Renewals: s.renewals, UsualSeconds: median(s.usual).Seconds(),
			DurationSeconds: limits.Duration.Seconds(), DeadlineSeconds: limits.Deadline.Seconds(), PeriodSeconds: limits.Period.Seconds(), Gaps: s.gaps,
		})
	}
	if len(r.Leases) == 0 {
		r.Leases = l.byLines()
	}
	slices.SortStableFunc(r.Leases, func(a, b Lease) int { return cmp.Compare(b.longest(), a.longest()) })
	r.remedies()
	return r
}

// byLines returns what the log of the client tells alone: each failure is a gap of unknown length.
func (l *Leases) byLines() []Lease {
	byName := map[string]*Lease{}
	for _, line := range l.lines {
		name := cmp.Or(line.Lease, l.name, "?")
		if l.name != "" && name != l.name {
			continue
		}
		if byName[name] == nil {
			byName[name] = &Lease{Name: name, Gaps: []Gap{}}
		}
		of := byName[name]
		at := len(of.Gaps) - 1
		if at < 0 || line.At.Sub(of.Gaps[at].Since) > DefaultLeaseLimits().Duration {
			if len(of.Gaps) == maxGaps {
				continue
			}
			of.Gaps = append(of.Gaps, Gap{Since: line.At, By: map[logs.Cause]float64{}, Cause: logs.CauseUnknown, Sure: Unclear, Tries: []Try{}})
			at++
		}
		g := &of.Gaps[at]
		g.Seconds = max(g.Seconds, line.At.Sub(g.Since).Seconds())
		g.Lost = g.Lost || line.Lost
		if line.Cause != logs.CauseUnknown {
			g.Cause, g.Sure = line.Cause, Certain
			if line.Cause == logs.CauseServer {
				g.Sure = Likely // it may be the network between them
			}
		}
		if line.Why != "" && !slices.Contains(g.Said, line.Why) {
			g.Said = append(g.Said, line.Why)
		}
	}
	all := []Lease{}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		all = append(all, *byName[name])
	}
	return all
}

// Place returns what names the priority level of a request: the log, otherwise the configuration.
func Place(c configuration.Configuration, now time.Time) func(*logs.Request) string {
	inForce := c.InForce(now)
	return func(r *logs.Request) string {
		if r.PriorityLevel != "" || r.User == "" {
			return r.PriorityLevel
		}
		a := r.Attributes()
		return inForce.Classify(&a).Level
	}
}
