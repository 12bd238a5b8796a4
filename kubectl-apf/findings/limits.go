package findings

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// clientLog is what the log of a client says.
type clientLog struct {
	name, user string
	own, asked int // waits for its own limit, and waits that a server asked for
	longest    time.Duration
	levels     map[string]int
}

// Say counts a wait in the log of a client. The user is empty if it is unknown.
func (t *Traffic) Say(name, userName string, w *logs.Wait) {
	at := slices.IndexFunc(t.logs, func(l *clientLog) bool { return l.name == name && l.user == userName })
	if at < 0 {
		at = len(t.logs)
		t.logs = append(t.logs, &clientLog{name: name, user: userName, levels: map[string]int{}})
	}
	l := t.logs[at]
	if w.ByServer {
		l.asked++
		return
	}
	l.own++
	l.longest = max(l.longest, w.Delay)
	if userName == "" || w.Attributes.Verb == "" {
		return
	}
	request := t.engine.Begin()
	defer request.End()
	request.Attributes = w.Attributes
	request.Attributes.User, request.Attributes.Groups = userName, trace.WellKnownGroups(userName)
	request.Classify()
	l.levels[request.Level().Name]++
}

// limits returns the clients with a limit of their own: their log says so, or their requests arrive
// evenly.
func (t *Traffic) limits() []lint.LimitedClient {
	var out []lint.LimitedClient
	paced := t.paced()
	for _, l := range t.logs {
		if l.own == 0 {
			continue
		}
		c := lint.LimitedClient{Object: lint.Object{Kind: "Log", Name: l.name}}
		if l.user != "" {
			c.Object = lint.Object{Kind: "User", Name: l.user}
		}
		if of, found := paced[c.Object]; found {
			c = of
			delete(paced, c.Object)
		} else if len(l.levels) > 0 {
			c.PriorityLevel = mostOf(l.levels)
			t.free(&c, t.since, t.until)
		}
		c.Said, c.SaidServer, c.Longest = l.own, l.asked, l.longest
		out = append(out, c)
	}
	for _, object := range slices.SortedFunc(maps.Keys(paced), func(a, b lint.Object) int { return cmp.Compare(a.String(), b.String()) }) {
		out = append(out, paced[object])
	}
	return out
}

// paced returns the clients whose requests arrive evenly, each with its longest stretch.
func (t *Traffic) paced() map[lint.Object]lint.LimitedClient {
	out := map[lint.Object]lint.LimitedClient{}
	for key, p := range t.processes {
		found, has := longestPace(p.arrivals)
		object := lint.Object{Kind: "User", Name: key.user}
		if key.user == "" {
			object = lint.Object{Kind: "Program", Name: program(key.agent)}
		}
		if !has || found.requests <= out[object].Requests || object.Name == "" {
			continue
		}
		c := lint.LimitedClient{
			Object: object, PriorityLevel: mostOf(p.levels), Requests: found.requests, Burst: found.burst, PerSecond: found.perSecond,
			Span: found.to.Sub(found.from), RequestSeatSeconds: p.used / float64(len(p.arrivals)),
		}
		t.free(&c, found.from, found.to)
		out[object] = c
	}
	return out
}

// free sets how many seats of the client's level were free between two times. Without
// requests, and for a level without a limit, this is unknown.
func (t *Traffic) free(c *lint.LimitedClient, from, to time.Time) {
	if t.observed == 0 {
		return
	}
	for _, level := range t.engine.Report().Levels {
		if level.Config.Name != c.PriorityLevel || level.Limits.Nominal == 0 {
			continue
		}
		peak, heldUp := t.timeline.between(c.PriorityLevel, from, to)
		free := max(0, level.Limits.Nominal-peak)
		c.Free, c.HeldUp = &free, heldUp
	}
}

// mostOf returns the name with the largest count; on a tie, the first.
func mostOf(counts map[string]int) string {
	return slices.MaxFunc(slices.Sorted(maps.Keys(counts)), func(a, b string) int { return cmp.Compare(counts[a], counts[b]) })
}
