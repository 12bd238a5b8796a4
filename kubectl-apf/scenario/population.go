package scenario

import (
	"container/heap"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// Call is a request that a client sends.
type Call struct {
	// At is when it is sent, since the start of the scenario.
	At time.Duration
	// Client is its name in the scenario.
	Client string
	// Request is what is sent. Its Execution is how long it executes, its Status the response code
	// when the server admits the request. Its Latency is only set if it is a watch: how long the
	// watch lasts. Wait, Seats and Rejected are not set.
	Request trace.Request

	agent int
}

// Answer is what a client receives.
type Answer struct {
	// Status is the HTTP status.
	Status int
	// RetryAfter is the time in the header Retry-After; 0 without one.
	RetryAfter time.Duration
}

// rejected reports whether the answer asks for a repetition.
func (a Answer) rejected() bool { return a.Status == 429 }

// succeeded reports whether the request was done.
func (a Answer) succeeded() bool { return a.Status >= 200 && a.Status < 300 }

// agent is what sends one request at a time, or what sends without waiting for answers.
type agent interface {
	// start returns when the agent sends for the first time; ok is false if it waits.
	start() (at time.Duration, ok bool)
	// send returns what the agent sends now. If another is true, it sends again at next,
	// whatever the answer is.
	send(now time.Duration) (request trace.Request, next time.Duration, another bool)
	// answer returns when the agent sends next, after an answer; ok is false if it waits.
	answer(now time.Duration, a Answer) (next time.Duration, ok bool)
}

// Population is the clients of a scenario. It is not safe for concurrent use. Create one
// with New.
type Population struct {
	agents []member
	due    schedule[struct{}]
	// reactions are the controllers that react to a client, by its name.
	reactions map[string][]*backlog
	start     time.Time
}

// member is an agent and when it may send.
type member struct {
	agent
	client *Client
	until  time.Duration
}

// New returns the clients of a scenario at its start. It shares the scenario.
func New(s *Scenario) *Population {
	p := &Population{reactions: map[string][]*backlog{}, start: s.Start}
	for i := range s.Clients {
		for number := range s.Clients[i].Count {
			p.add(s, &s.Clients[i], number)
		}
	}
	for i := range p.agents {
		if at, ok := p.agents[i].start(); ok {
			p.schedule(at, i)
		}
	}
	return p
}

// add adds the agents of one client.
func (p *Population) add(s *Scenario, c *Client, number int) {
	one := instance(c, number)
	random := newRandom(s.Seed, c.Name, number, 0)
	identity := identity{random: random, start: s.Start, from: time.Duration(c.From), requests: one.Requests, seed: trace.Request{
		User: one.User, Groups: one.Groups, Client: one.UserAgent,
	}}
	if s.Replicas > 1 {
		identity.seed.Replica = "replica-" + strconv.Itoa(random.IntN(s.Replicas))
	}
	switch {
	case c.Open != nil:
		p.join(c, newOpen(identity, c.Open))
	case c.Informer != nil:
		p.join(c, &informer{identity: identity, Informer: c.Informer})
	case c.Workers != nil:
		for i := range c.Workers.Count {
			p.join(c, &worker{identity: identity.with(newRandom(s.Seed, c.Name, number, i+1)), Workers: c.Workers})
		}
	default:
		queue := &backlog{delay: c.Controller.Delay, random: random}
		for _, name := range c.Controller.ReactsTo {
			p.reactions[name] = append(p.reactions[name], queue)
		}
		for i := range c.Controller.Workers {
			queue.idle = append(queue.idle, len(p.agents))
			p.join(c, &reactor{identity: identity.with(newRandom(s.Seed, c.Name, number, i+1)), Controller: c.Controller, backlog: queue, number: len(p.agents)})
		}
	}
}

func (p *Population) join(c *Client, a agent) {
	p.agents = append(p.agents, member{a, c, time.Duration(c.Until)})
}

// schedule makes an agent send, unless its time is over.
func (p *Population) schedule(at time.Duration, number int) {
	if at < p.agents[number].until {
		heap.Push(&p.due, event[struct{}]{at: at, agent: number})
	}
}

// Next returns when the next request is sent. If ok is false, none is sent before a
// further answer.
func (p *Population) Next() (at time.Duration, ok bool) {
	if len(p.due) == 0 {
		return 0, false
	}
	return p.due[0].at, true
}

// Send returns the next request. Call it only if Next returned true.
func (p *Population) Send() Call {
	now := heap.Pop(&p.due).(event[struct{}])
	member := &p.agents[now.agent]
	request, next, another := member.send(now.at)
	request.Arrival = p.start.Add(now.at)
	if another {
		p.schedule(next, now.agent)
	}
	return Call{At: now.at, Client: member.client.Name, Request: request, agent: now.agent}
}

// Answer says that the client received an answer. now must not be before an earlier one,
// and not after the next request that is sent without it.
func (p *Population) Answer(c Call, now time.Duration, a Answer) {
	if next, ok := p.agents[c.agent].answer(now, a); ok {
		p.schedule(next, c.agent)
	}
	if !a.succeeded() || !writes(c.Request.Verb) {
		return
	}
	for _, queue := range p.reactions[c.Client] {
		if at, number, ok := queue.add(now); ok {
			p.schedule(at, number)
		}
	}
}

func writes(verb string) bool {
	return slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, verb)
}

// instance returns a client with its number in its texts.
func instance(c *Client, number int) Client {
	one, in := *c, func(text string) string { return strings.ReplaceAll(text, "{i}", strconv.Itoa(number)) }
	one.User, one.UserAgent = in(c.User), in(c.UserAgent)
	one.Groups = make([]string, len(c.Groups))
	for i, group := range c.Groups {
		one.Groups[i] = in(group)
	}
	if c.Groups == nil {
		one.Groups = trace.WellKnownGroups(one.User)
	}
	one.Requests = slices.Clone(c.Requests)
	for i := range one.Requests {
		r := &one.Requests[i]
		r.Namespace, r.Name, r.Path = in(r.Namespace), in(r.Name), in(r.Path)
	}
	return one
}

// newRandom returns the random numbers of an agent.
func newRandom(seed uint64, client string, number, worker int) *rand.Rand {
	name := fnv.New64a()
	_, _ = name.Write([]byte(client + "\x00" + strconv.Itoa(number) + "\x00" + strconv.Itoa(worker)))
	return rand.New(rand.NewPCG(seed, name.Sum64())) //nolint:gosec // a simulation must be repeatable
}
