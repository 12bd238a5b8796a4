package linearizability_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/linearizability"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/watchmodel"
)

// alone is the name of one object; ofTen returns the names of ten others.
const alone = "alone"

func ofTen() []string {
	var names []string
	for i := range 10 {
		names = append(names, fmt.Sprintf("of-ten-%d", i))
	}
	return names
}

// client executes operations in sequence.
type client struct {
	*run
	t      *testing.T
	number int
	random *rand.Rand
	// known is the last known state of each object.
	known map[string]linearizability.Output
	// cached is the version of the last cached list of each server process.
	cached map[string]int64
}

func newClient(t *testing.T, r *run, number int) *client {
	t.Helper()
	return &client{run: r, t: t, number: number, random: r.random(number), known: map[string]linearizability.Output{}, cached: map[string]int64{}}
}

func (c *client) name() string {
	if c.number < clientCount/2 {
		return alone
	}
	names := ofTen()
	return names[c.random.IntN(len(names))]
}

// replica returns an available server, and waits if there is none.
func (c *client) replica(ctx context.Context) *replica {
	first := c.random.IntN(len(c.replicas))
	for i := range c.replicas {
		if replica := c.replicas[(first+i)%len(c.replicas)]; replica.gate.isOpen() {
			return replica
		}
	}
	c.replicas[first].gate.wait(ctx)
	return c.replicas[first]
}

// work executes the client's operations, and more while a wanted outcome is
// missing.
func (c *client) work(ctx context.Context) {
	for i := range most * operations() {
		if ctx.Err() != nil || c.t.Failed() || i >= operations() && len(c.outcomes.missing()) == 0 {
			return
		}
		switch chance := c.random.IntN(100); {
		case chance < 8:
			c.list(ctx, c.replica(ctx))
		case chance < 16:
			c.readCached(ctx, c.replica(ctx))
		case chance < 24:
			c.listCached(ctx, c.replica(ctx))
		default:
			c.operate(ctx, c.replica(ctx), c.choose())
		}
		c.made.add()
	}
}

// choose returns a random request that uses what the client knows.
func (c *client) choose() linearizability.Input {
	name := c.name()
	known := c.known[name]
	input := linearizability.Input{Name: name, Kind: linearizability.Read}
	switch chance := c.random.IntN(100); {
	case chance < 30:
		return input
	case chance < 45:
		input.Kind = linearizability.Create
	case chance < 60:
		input.Kind = linearizability.Update
		if c.random.IntN(4) > 0 {
			input.Version = known.Version
		}
		if c.random.IntN(2) == 0 {
			input.UID = known.UID
		}
	case chance < 72:
		input.Kind = linearizability.Patch
		switch c.random.IntN(3) {
		case 0:
			input.Version = known.Version
		case 1:
			input.Was = known.Token
		}
	case chance < 85:
		input.Kind = linearizability.Apply
		input.Manager, input.Force = fmt.Sprintf("manager-%d", c.random.IntN(2)), c.random.IntN(2) == 0
	default:
		input.Kind = linearizability.Delete
		switch c.random.IntN(4) {
		case 0:
			input.Version = known.Version
		case 1:
			input.UID = known.UID
		}
		return input
	}
	input.Token = c.token.Add(1)
	return input
}

// operate executes an operation and records it.
func (c *client) operate(ctx context.Context, replica *replica, input linearizability.Input) {
	call := c.history.Now()
	output, sent := c.send(ctx, replica, input)
	if !sent {
		return
	}
	c.history.Add(c.number, call, map[linearizability.Input]linearizability.Output{input: output})
	c.outcomes.add(input.Kind, output.Result)
	c.learn(input.Name, output)
}

func (c *client) learn(name string, output linearizability.Output) {
	switch output.Result {
	case linearizability.Done, linearizability.Absent:
		c.known[name] = output
		c.told(output.Version)
	}
}

// told increases the newest version that any client knows.
func (c *client) told(version int64) {
	for newest := c.newest.Load(); version > newest; newest = c.newest.Load() {
		if c.newest.CompareAndSwap(newest, version) {
			return
		}
	}
}

// list lists the most recent state: it reads every object at once. The list must
// include every version known before.
func (c *client) list(ctx context.Context, replica *replica) {
	call, newest := c.history.Now(), c.newest.Load()
	answer, ok := c.get(ctx, replica, "")
	if !ok {
		return
	}
	outputs := map[linearizability.Input]linearizability.Output{}
	for _, name := range append([]string{alone}, ofTen()...) {
		output, listed := answer.outputs[name]
		if !listed {
			output.Result = linearizability.Absent
		}
		outputs[linearizability.Input{Kind: linearizability.Read, Name: name}] = output
	}
	c.history.Add(c.number, call, outputs)
	for input, output := range outputs {
		c.learn(input.Name, output)
	}
	c.told(answer.version)
	c.keepList(answer, newest)
}

func (c *client) keepList(answer listed, notBefore int64) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.lists = append(c.lists, watchmodel.List{NotBefore: notBefore, Version: answer.version, Objects: answer.objects})
}

// readCached reads an object from the cache, either not older than what the client
// knows, or at any version.
func (c *client) readCached(ctx context.Context, replica *replica) {
	name := c.name()
	version := c.known[name].Version
	if c.random.IntN(3) == 0 {
		version = 0
	}
	object, ok := c.getCached(ctx, replica, name, version)
	if !ok {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.reads = append(c.reads, watchmodel.Read{Name: name, NotBefore: version, Object: object})
}

// listCached lists from the cache, either not older than the newest known version,
// or at any version. Such a list may be old, but must not be older than an earlier
// one.
func (c *client) listCached(ctx context.Context, replica *replica) {
	life := fmt.Sprintf("%s %d", replica.URL, replica.life.Load())
	version := int64(0)
	if c.random.IntN(2) == 0 {
		version = c.newest.Load()
	}
	answer, ok := c.get(ctx, replica, strconv.FormatInt(version, 10))
	if !ok {
		return
	}
	if before := c.cached[life]; answer.version < before {
		c.t.Errorf("%s listed version %d, and version %d before", replica.URL, answer.version, before)
	}
	c.cached[life] = answer.version
	c.keepList(answer, version)
}
