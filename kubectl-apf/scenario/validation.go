package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// maxClients is the largest number of clients, with their workers.
const maxClients = 1_000_000

// problem returns the first thing that is wrong with a scenario.
func (s *Scenario) problem() *problem {
	switch {
	case s.APIVersion != APIVersion:
		return wrong(fmt.Sprintf("is %q, must be %q", s.APIVersion, APIVersion), "apiVersion")
	case s.Kind != Kind:
		return wrong(fmt.Sprintf("is %q, must be %q", s.Kind, Kind), "kind")
	case s.Duration <= 0:
		return wrong(fmt.Sprintf("is %s, must be positive", time.Duration(s.Duration)), "duration")
	case s.Replicas < 0:
		return wrong(fmt.Sprintf("is %d, must not be negative", s.Replicas), "replicas")
	case len(s.Clients) == 0:
		return wrong("is empty, must have a client", "clients")
	}
	for name, stored := range s.Stored {
		if stored.Objects < 0 || stored.Bytes < 0 {
			return wrong("has negative objects or bytes, must not be negative", "stored", name)
		}
	}
	names, count := map[string]int{}, 0
	for i := range s.Clients {
		c := &s.Clients[i]
		if other, twice := names[c.Name]; twice {
			return wrong(fmt.Sprintf("is %q, which clients[%d] has too: must be unique", c.Name, other), "clients", i, "name")
		}
		names[c.Name] = i
		if p := c.problem(s.Duration); p != nil {
			return p.in("clients", i)
		}
		if count += c.agents(); count > maxClients {
			return wrong(fmt.Sprintf("is %d: all clients and their workers must be at most %d", c.Count, maxClients), "clients", i, "count")
		}
	}
	return s.reactionProblem(names)
}

// reactionProblem returns the first client that reacts to one that does not exist.
func (s *Scenario) reactionProblem(names map[string]int) *problem {
	for i := range s.Clients {
		if s.Clients[i].Controller == nil {
			continue
		}
		for j, name := range s.Clients[i].Controller.ReactsTo {
			if _, exists := names[name]; !exists {
				return wrong(fmt.Sprintf("is %q, must be the name of a client", name), "clients", i, "controller", "reactsTo", j)
			}
		}
	}
	return nil
}

// agents returns the number of agents that behave like this client.
func (c *Client) agents() int {
	each := 1
	if c.Workers != nil {
		each = max(1, c.Workers.Count)
	}
	if c.Controller != nil {
		each = max(1, c.Controller.Workers)
	}
	// Bounded, so that no product overflows.
	return min(max(1, c.Count), maxClients+1) * min(each, maxClients+1)
}

func (c *Client) problem(end Duration) *problem {
	behaviours := 0
	for _, has := range []bool{c.Open != nil, c.Workers != nil, c.Informer != nil, c.Controller != nil} {
		if has {
			behaviours++
		}
	}
	switch {
	case c.Name == "":
		return wrong("is empty, must be set", "name")
	case c.User == "":
		return wrong("is empty, must be set", "user")
	case c.Count < 0:
		return wrong(fmt.Sprintf("is %d, must not be negative", c.Count), "count")
	case c.From < 0 || c.From >= end:
		return wrong(fmt.Sprintf("is %s, must not be negative and before the end of the scenario", time.Duration(c.From)), "from")
	case c.Until != 0 && (c.Until <= c.From || c.Until > end):
		return wrong(fmt.Sprintf("is %s, must be after from and not after the end of the scenario", time.Duration(c.Until)), "until")
	case behaviours != 1:
		return wrong("must have exactly one of open, workers, informer and controller")
	case len(c.Requests) == 0:
		return wrong("is empty, must have a request", "requests")
	}
	for i := range c.Requests {
		if p := c.Requests[i].problem(); p != nil {
			return p.in("requests", i)
		}
	}
	return first(c.Open.problem().in("open"), c.Workers.problem().in("workers"),
		c.Informer.problem(c.Requests).in("informer"), c.Controller.problem().in("controller"))
}

func (r *Request) problem() *problem {
	switch {
	case r.Verb == "":
		return wrong("is empty, must be set", "verb")
	case (r.Resource == "") == (r.Path == ""):
		return wrong("must have exactly one of resource and path")
	case r.Path != "" && !strings.HasPrefix(r.Path, "/"):
		return wrong(fmt.Sprintf("is %q, must begin with /", r.Path), "path")
	case r.Path != "" && (r.APIGroup != "" || r.Subresource != "" || r.Namespace != "" || r.Name != "" || r.APIVersion != ""):
		return wrong("has a path and must not have apiGroup, apiVersion, subresource, namespace or name")
	case r.Resource != "" && !slices.Contains([]string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}, r.Verb):
		return wrong(fmt.Sprintf("is %q, must be create, delete, deletecollection, get, list, patch, update or watch", r.Verb), "verb")
	case r.Weight < 0:
		return wrong(fmt.Sprintf("is %g, must not be negative", r.Weight), "weight")
	case r.Status != 0 && (r.Status < 200 || r.Status > 599):
		return wrong(fmt.Sprintf("is %d, must be from 200 to 599", r.Status), "status")
	}
	return r.Execution.at("execution")
}

func (d Distribution) at(field string) *problem {
	if text := d.problem(); text != "" {
		return wrong(text, field)
	}
	return nil
}

func (o *Open) problem() *problem {
	if o == nil {
		return nil
	}
	kinds := 0
	for _, has := range []bool{o.Poisson != nil, o.Constant != nil, o.Bursts != nil, o.Recorded != nil} {
		if has {
			kinds++
		}
	}
	if kinds != 1 {
		return wrong("must have exactly one of poisson, constant, bursts and recorded")
	}
	return first(o.Poisson.problem().in("poisson"), o.Constant.problem().in("constant"),
		o.Bursts.problem().in("bursts"), o.Recorded.problem().in("recorded"))
}

func (r *Rate) problem() *problem {
	if r != nil && !(r.Rate >= 1e-6 && r.Rate <= 1e6) {
		return wrong(fmt.Sprintf("is %g, must be from 0.000001 to 1000000 requests a second", r.Rate), "rate")
	}
	return nil
}

func (b *Bursts) problem() *problem {
	switch {
	case b == nil:
		return nil
	case b.Every <= 0:
		return wrong("must be positive", "every")
	case b.Size <= 0 || b.Size > maxClients:
		return wrong(fmt.Sprintf("is %d, must be from 1 to %d", b.Size, maxClients), "size")
	case b.Within < 0 || b.Within > b.Every:
		return wrong("must be from 0s to every", "within")
	default:
		return nil
	}
}

func (r *Recorded) problem() *problem {
	switch {
	case r == nil:
		return nil
	case r.Trace == "":
		return wrong("is empty, must be the file of a trace", "trace")
	case !(r.Scale >= 0 && r.Scale <= 1e6):
		return wrong(fmt.Sprintf("is %g, must be from 0 to 1000000", r.Scale), "scale")
	case r.Step < 0 || r.Step > Duration(trace.MaxGap):
		return wrong(fmt.Sprintf("must be from 0s to %s", trace.MaxGap), "step")
	default:
		return nil
	}
}

func (w *Workers) problem() *problem {
	switch {
	case w == nil:
		return nil
	case w.Count < 0:
		return wrong(fmt.Sprintf("is %d, must not be negative", w.Count), "count")
	default:
		return first(w.ThinkTime.at("thinkTime"), w.Retries.problem().in("retries"))
	}
}

func (r *Retries) problem() *problem {
	switch {
	case r.Attempts != nil && *r.Attempts < 0:
		return wrong(fmt.Sprintf("is %d, must not be negative", *r.Attempts), "attempts")
	case r.Backoff < 0:
		return wrong("must not be negative", "backoff")
	default:
		return nil
	}
}

func (i *Informer) problem(requests []Request) *problem {
	switch {
	case i == nil:
		return nil
	case len(requests) != 1 || requests[0].Verb != "list":
		return wrong("must have exactly one request, a list")
	case i.WatchFor < 0:
		return wrong("must not be negative", "watchFor")
	case !(i.Relist >= 0 && i.Relist <= 1):
		return wrong(fmt.Sprintf("is %g, must be from 0 to 1", i.Relist), "relist")
	default:
		return i.Execution.at("execution")
	}
}

func (c *Controller) problem() *problem {
	switch {
	case c == nil:
		return nil
	case len(c.ReactsTo) == 0:
		return wrong("is empty, must name a client", "reactsTo")
	case c.Workers < 0:
		return wrong(fmt.Sprintf("is %d, must not be negative", c.Workers), "workers")
	default:
		return first(c.Delay.at("delay"), c.Retries.problem().in("retries"))
	}
}
