package chaos_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/chaos"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/histories"
)

const (
	// avoided is how long clients avoid a server that failed.
	avoided = 3 * time.Second
	// pause is how long a client waits after a failure.
	pause = 100 * time.Millisecond
)

// load is all clients, and what they record.
type load struct {
	*site
	t       *testing.T
	seed    uint64
	began   time.Time
	history *chaos.History
	token   atomic.Int64 // the last one used
	// newest is the highest version of a level that any client knows.
	newest       atomic.Int64
	acknowledged atomic.Int64
	streak       atomic.Int64 // requests since the last that failed
	stop         chan struct{}
	clients      sync.WaitGroup

	mutex    sync.Mutex
	acks     []chaos.Ack      // guarded by mutex
	requests []chaos.Request  // guarded by mutex
	lists    []histories.List // guarded by mutex
	reads    []histories.Read // guarded by mutex: from the cache
	names    map[string]bool  // guarded by mutex: of all levels ever used
}

func newLoad(t *testing.T, s *site, seed uint64) *load {
	t.Helper()
	return &load{
		site: s, t: t, seed: seed, began: time.Now(), history: chaos.NewHistory(),
		stop: make(chan struct{}), names: map[string]bool{},
	}
}

// now returns the time since the start of the run.
func (l *load) now() time.Duration { return time.Since(l.began) }

// random returns a separate source of random choices for each client.
func (l *load) random(who int) *rand.Rand { return rand.New(rand.NewPCG(l.seed, uint64(who))) }

func (l *load) nextToken() int64 { return l.token.Add(1) }

func (l *load) stopped() bool {
	select {
	case <-l.stop:
		return true
	default:
		return false
	}
}

// wait waits for a time, or until the load is stopped.
func (l *load) wait(d time.Duration) {
	select {
	case <-time.After(d):
	case <-l.stop:
	}
}

// client sends requests one at a time.
type client struct {
	*load
	number int
	random *rand.Rand
	// pinned is the only server of the client, nil for one that uses any.
	pinned *replica
	known  map[string]chaos.Output
}

func (l *load) newClient(number int, pinned *replica) *client {
	return &client{load: l, number: number, random: l.random(number), pinned: pinned, known: map[string]chaos.Output{}}
}

// replica returns the client's server, or one at random that has not failed lately.
func (c *client) replica() *replica {
	if c.pinned != nil {
		return c.pinned
	}
	first := c.random.IntN(len(c.replicas))
	for i := range c.replicas {
		if r := c.replicas[(first+i)%len(c.replicas)]; r.suspectUntil.Load() < int64(c.now()) {
			return r
		}
	}
	return c.replicas[first]
}

// operate sends one operation and records it.
func (c *client) operate(ctx context.Context, r *replica, input chaos.Input) chaos.Output {
	call, start, life := c.history.Now(), c.now(), r.life.Load()
	api := r.api
	api.Version = c.version(input)
	answer, err := api.Operate(ctx, input)
	if err != nil {
		c.t.Errorf("%v: %v", input, err)
	}
	if answer.Sent() {
		c.history.Add(c.number, call, map[chaos.Input]chaos.Output{judged(input, answer.Output): answer.Output})
	}
	if answer.Result == chaos.Done {
		c.acknowledged.Add(1)
		c.tell(answer.Version)
		if answer.Object != nil && input.Token != 0 {
			c.acknowledge(chaos.Levels, input.Name, input.Token, answer.Version, answer.Object.Content)
		}
	}
	if answer.Result == chaos.Done || answer.Result == chaos.Absent {
		c.known[input.Name] = answer.Output
	}
	c.note(r, life, start, input.String(), answer.Reply)
	return answer.Output
}

// version returns the API version of an operation: every second client writes in v1beta3. A manager that
// applies keeps to one version, since fields owned in the other version belong to another manager.
func (c *client) version(input chaos.Input) string {
	beta := c.number%2 == 1
	if input.Verb == chaos.Apply {
		beta = input.Manager == "manager-1"
	}
	if beta {
		return "v1beta3"
	}
	return "v1"
}

// judged returns an operation as the model judges it. On later releases of k8s.io than 0.33 an update
// of an absent object is NotFound, whatever uid it names: the object is looked up first.
func judged(input chaos.Input, output chaos.Output) chaos.Input {
	if binaries.Base() != binaries.FirstBase && input.Verb == chaos.Update && output.Result == chaos.Absent {
		input.UID = ""
	}
	return input
}

func (c *client) acknowledge(resource, name string, token, version int64, content string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.acks = append(c.acks, chaos.Ack{
		Client: c.number, At: c.now(), Resource: resource, Name: name, Token: token, Version: version, Content: content,
	})
}

// tell increases the newest version that any client knows.
func (l *load) tell(version int64) {
	for newest := l.newest.Load(); version > newest; newest = l.newest.Load() {
		if l.newest.CompareAndSwap(newest, version) {
			return
		}
	}
}

// note records how a request went. After a failure the client waits for a moment, and
// others avoid the server.
func (c *client) note(r *replica, life int64, start time.Duration, what string, reply chaos.Reply) {
	request := chaos.Request{Start: start, End: c.now(), What: fmt.Sprintf("client %d: %s", c.number, what)}
	failed := reply.Failed()
	if failed {
		request.Failure, request.Kind, request.Retriable = reply.String(), reply.Kind(), reply.Retriable()
		c.streak.Store(0)
		r.suspectUntil.Store(int64(c.now() + avoided))
	} else {
		request.What = "" // there are many of these
		c.streak.Add(1)
		r.served.Store(life)
	}
	c.mutex.Lock()
	c.requests = append(c.requests, request)
	c.mutex.Unlock()
	if failed {
		c.wait(pause)
	}
}

// use remembers the name of an object.
func (l *load) use(name string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.names[name] = true
}
