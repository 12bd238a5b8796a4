package findings

import (
	"cmp"
	"maps"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// clientLog is what the log of a client says.
type clientLog struct {
	name, user string
	said       lint.LimitedClient
	levels     map[string]int // of waits for its own limit
}

// objectOf returns the client of a log: its user or, if that is unknown, the log.
func objectOf(name, userName string) lint.Object {
	if userName == "" {
		return lint.Object{Kind: "Log", Name: name}
	}
	return lint.Object{Kind: "User", Name: userName}
}

// Say counts a wait in the log of a client. The user is empty if it is unknown.
func (t *Traffic) Say(name, userName string, w *logs.Wait) {
	at := slices.IndexFunc(t.logs, func(l *clientLog) bool { return l.name == name && l.user == userName })
	if at < 0 {
		at = len(t.logs)
		t.logs = append(t.logs, &clientLog{name, userName, lint.LimitedClient{Object: objectOf(name, userName)}, map[string]int{}})
	}
	l, level := t.logs[at], t.levelOf(w, userName)
	switch {
	case !w.ByServer:
		l.said.Said++
		if w.Failed {
			l.said.Failed++
		}
		l.said.Longest = max(l.said.Longest, w.Delay)
		if level != "" {
			l.levels[level]++
		}
	case w.FlowSchema != "":
		l.said.Rejected++
		l.said.LongestRejected = max(l.said.LongestRejected, w.Delay)
		if level != "" {
			of := t.levels[level]
			of.HeldUp++
			t.levels[level] = of
		}
	}
	if w.ByServer {
		l.said.SaidServer++
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
		if l.said.Said == 0 && l.said.Rejected == 0 {
			continue
		}
		l.said.PriorityLevel = mostOf(l.levels)
		out = append(out, l.said)
	}
	return out
}

// FailedList counts a failed list in the log of a client. The user is empty if it is unknown.
func (t *Traffic) FailedList(name, userName string, f logs.FailedList) {
	object := objectOf(name, cmp.Or(f.User, userName))
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

// lateLease is a lease in the log of a client.
type lateLease struct {
	lint.LateLease
	causes map[string]int
}

// Lease counts a line about a lease that a client could not renew. The user is empty if it is unknown.
func (t *Traffic) Lease(name, userName string, line logs.LeaseLine) {
	object := objectOf(name, userName)
	at := slices.IndexFunc(t.leases, func(l *lateLease) bool {
		return l.Object == object && (l.Lease == line.Lease || l.Lease == "" || line.Lease == "")
	})
	if at < 0 {
		at = len(t.leases)
		t.leases = append(t.leases, &lateLease{lint.LateLease{Object: object}, map[string]int{}})
	}
	l := t.leases[at]
	l.Lease = cmp.Or(l.Lease, line.Lease)
	l.Failed++
	if line.Lost {
		l.Lost++
	}
	if line.Cause != logs.CauseUnknown {
		l.causes[string(line.Cause)]++
	}
}

// lateLeases returns the leases of clients' logs.
func (t *Traffic) lateLeases() (all []lint.LateLease) {
	for _, l := range t.leases {
		l.Cause = mostOf(l.causes)
		all = append(all, l.LateLease)
	}
	return all
}

// mostOf returns the name with the largest count, on a tie the first; "" if there is none.
func mostOf(counts map[string]int) string {
	most := ""
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > counts[most] {
			most = name
		}
	}
	return most
}
