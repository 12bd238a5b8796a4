package findings

import (
	"cmp"
	"slices"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// callbacks compare the requests of webhooks' servers with the times when requests of others on the
// same level wait for the webhook.
type callbacks struct {
	servers []lint.Server
	users   []string // of the servers
	states  map[callbackKey]*callbackState
}

type callbackKey struct {
	server int
	level  string
}

type callbackState struct {
	requests, meanwhile int
	example             string
	// until is the end of the last request that waits for the webhook, since the start of a time of
	// overlapping requests; busy is the sum of earlier times of this kind.
	since, until time.Time
	busy         time.Duration
}

func newCallbacks(servers []lint.Server) callbacks {
	c := callbacks{states: map[callbackKey]*callbackState{}}
	for i := range servers {
		s := &servers[i]
		if s.ServiceAccount == "" || s.Object.Kind == "APIService" {
			continue
		}
		user := serviceaccount.MakeUsername(s.Namespace, s.ServiceAccount)
		if known := slices.Index(c.users, user); known >= 0 { // one server of several webhooks
			c.servers[known].Requests = slices.Concat(c.servers[known].Requests, s.Requests)
			continue
		}
		c.servers, c.users = append(c.servers, *s), append(c.users, user)
	}
	return c
}

// add adds a request, which must not arrive before requests that were added.
func (c *callbacks) add(r *trace.Request, level string, u *use) {
	for i := range c.servers {
		switch {
		case c.users[i] == r.User:
			c.state(i, level).send(r)
		case r.Rejected == "" && slices.ContainsFunc(c.servers[i].Requests, func(rule flowcontrolv1.ResourcePolicyRule) bool { return selects(&rule, r) }):
			c.state(i, level).hold(u)
		}
	}
}

func (c *callbacks) state(server int, level string) *callbackState {
	key := callbackKey{server, level}
	if c.states[key] == nil {
		c.states[key] = &callbackState{}
	}
	return c.states[key]
}

func (s *callbackState) send(r *trace.Request) {
	s.requests++
	if r.Arrival.Before(s.until) && !r.Arrival.Before(s.since) {
		s.meanwhile++
		s.example = r.Verb + " " + cmp.Or(r.Resource, r.Path)
	}
}

func (s *callbackState) hold(u *use) {
	if u.start.After(s.until) {
		s.busy += s.until.Sub(s.since)
		s.since, s.until = u.start, u.end
	}
	if u.end.After(s.until) {
		s.until = u.end
	}
}

// selects reports whether a webhook's rule selects a request.
func selects(rule *flowcontrolv1.ResourcePolicyRule, r *trace.Request) bool {
	inScope := r.Namespace == "" && rule.ClusterScope || r.Namespace != "" && len(rule.Namespaces) > 0
	resources := []string{"*", r.Resource, "*/*"}
	if r.Subresource != "" {
		resources = []string{r.Resource + "/" + r.Subresource, r.Resource + "/*", "*/" + r.Subresource, "*/*"}
	}
	return r.Resource != "" && inScope && hasAny(rule.Verbs, "*", r.Verb) && hasAny(rule.APIGroups, "*", r.APIGroup) && hasAny(rule.Resources, resources...)
}

func hasAny(list []string, values ...string) bool {
	return slices.ContainsFunc(values, func(value string) bool { return slices.Contains(list, value) })
}

// result returns the callbacks within the time of the logs.
func (c *callbacks) result(span time.Duration) []lint.Callback {
	var out []lint.Callback
	for key, s := range c.states {
		if s.meanwhile == 0 || span <= 0 {
			continue
		}
		out = append(out, lint.Callback{
			Object: c.servers[key.server].Object, User: c.users[key.server], PriorityLevel: key.level,
			Requests: s.requests, Meanwhile: s.meanwhile, Busy: (s.busy + s.until.Sub(s.since)).Seconds() / span.Seconds(), Example: s.example,
		})
	}
	slices.SortFunc(out, func(a, b lint.Callback) int {
		return cmp.Or(cmp.Compare(a.Object.String(), b.Object.String()), cmp.Compare(a.User, b.User), cmp.Compare(a.PriorityLevel, b.PriorityLevel))
	})
	return out
}
