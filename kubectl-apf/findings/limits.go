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
	name, user               string
	own, asked               int // waits for its own limit, and waits that a server asked for
	rejected                 int // of asked, because flow control rejected the request
	failed                   int // waits for its own limit that outlived the request's deadline
	longest, longestRejected time.Duration
	levels                   map[string]int // of own, otherwise of rejected
}

// Say counts a wait in the log of a client. The user is empty if it is unknown.
func (t *Traffic) Say(name, userName string, w *logs.Wait) {
	at := slices.IndexFunc(t.logs, func(l *clientLog) bool { return l.name == name && l.user == userName })
	if at < 0 {
		at = len(t.logs)
		t.logs = append(t.logs, &clientLog{name: name, user: userName, levels: map[string]int{}})
	}
	l := t.logs[at]
	level := t.levelOf(w, userName)
	switch {
	case w.ByServer && w.FlowSchema != "":
		l.rejected++
		l.longestRejected = max(l.longestRejected, w.Delay)
		if level != "" {
			of := t.levels[level]
			of.HeldUp++
			t.levels[level] = of
		}
		fallthrough
	case w.ByServer:
		l.asked++
		return
	}
	l.own++
	if w.Failed {
		l.failed++
	}
	l.longest = max(l.longest, w.Delay)
	if level != "" {
		l.levels[level]++
	}
}

// levelOf returns the level of a request that waited: of the flow schema that the line names, otherwise of
// the one that it matches; "" if it is unknown.
func (t *Traffic) levelOf(w *logs.Wait, userName string) string {
	if level := t.byUID[w.FlowSchema]; level != "" || userName == "" || w.Attributes.Verb == "" {
		return level
	}
	a := w.Attributes
	a.User, a.Groups = userName, trace.WellKnownGroups(userName)
	return t.inForce.Classify(&a).Level
}

// limits returns the clients whose log says that a limit of their own delays them.
func (t *Traffic) limits() []lint.LimitedClient {
	var out []lint.LimitedClient
	for _, l := range t.logs {
		if l.own == 0 && l.rejected == 0 {
			continue
		}
		c := lint.LimitedClient{
			Object: lint.Object{Kind: "Log", Name: l.name}, Said: l.own, Failed: l.failed, Longest: l.longest,
			SaidServer: l.asked, Rejected: l.rejected, LongestRejected: l.longestRejected,
		}
		if l.user != "" {
			c.Object = lint.Object{Kind: "User", Name: l.user}
		}
		if len(l.levels) > 0 {
			c.PriorityLevel = mostOf(l.levels)
		}
		out = append(out, c)
	}
	return out
}

// FailedList counts a failed list in the log of a client. The user is empty if it is unknown.
func (t *Traffic) FailedList(name, userName string, f logs.FailedList) {
	object := lint.Object{Kind: "Log", Name: name}
	if user := cmp.Or(f.User, userName); user != "" {
		object = lint.Object{Kind: "User", Name: user}
	}
	at := slices.IndexFunc(t.lists, func(l lint.FailedList) bool {
		return l.Object == object && l.Version == f.Version && l.Forbidden == f.Forbidden
	})
	if at < 0 {
		at = len(t.lists)
		t.lists = append(t.lists, lint.FailedList{Object: object, Version: f.Version, Forbidden: f.Forbidden})
	}
	l := &t.lists[at]
	if f.Warning {
		l.Warnings++
	} else {
		l.Errors++
	}
}

// mostOf returns the name with the largest count; on a tie, the first.
func mostOf(counts map[string]int) string {
	return slices.MaxFunc(slices.Sorted(maps.Keys(counts)), func(a, b string) int { return cmp.Compare(counts[a], counts[b]) })
}
