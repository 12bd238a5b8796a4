package linearizability_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/linearizability"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/linearizability/apiclient"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/histories"
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
			name := c.name()
			c.operate(ctx, c.replica(ctx), linearizability.Choose(c.random, name, c.known[name], c.nextToken))
		}
		c.made.add()
	}
}

// version returns the API version of an operation: every second client writes in v1beta3. A manager
// that applies keeps to one version, since fields owned in the other version belong to another
// manager.
func (c *client) version(input linearizability.Input) string {
	beta := c.number%2 == 1
	if input.Kind == linearizability.Apply {
		beta = input.Manager == "manager-1"
	}
	if beta {
		return "v1beta3"
	}
	return "v1"
}

// operate executes an operation and records it.
func (c *client) operate(ctx context.Context, replica *replica, input linearizability.Input) {
	call := c.history.Now()
	api := replica.api
	api.Version = c.version(input)
	answer, err := api.Operate(ctx, input)
	if err != nil {
		c.t.Errorf("%v", err)
	}
	if !answer.Sent() {
		return
	}
	output := answer.Output
	c.history.Add(c.number, call, map[linearizability.Input]linearizability.Output{judged(input, output): output})
	c.outcomes.add(input.Kind, output.Result)
	c.learn(input.Name, output)
}

// judged returns an operation as the model judges it. On later releases of k8s.io than 0.33 an update
// of an absent object is NotFound, whatever uid it names: the object is looked up first.
func judged(input linearizability.Input, output linearizability.Output) linearizability.Input {
	if binaries.Base() != binaries.FirstBase && input.Kind == linearizability.Update && output.Result == linearizability.Absent {
		input.UID = ""
	}
	return input
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
		output, listed := answer.Outputs[name]
		if !listed {
			output.Result = linearizability.Absent
		}
		outputs[linearizability.Input{Kind: linearizability.Read, Name: name}] = output
	}
	c.history.Add(c.number, call, outputs)
	for input, output := range outputs {
		c.learn(input.Name, output)
	}
	c.told(answer.Version)
	c.keepList(answer, newest)
}

// get lists at a version, "" for the most recent. It returns false if there was no
// answer.
func (c *client) get(ctx context.Context, replica *replica, version string) (apiclient.Listed, bool) {
	listed, err := replica.api.List(ctx, version)
	if err != nil {
		c.t.Errorf("%v", err)
	}
	return listed, err == nil && listed.Result == linearizability.Done
}

// nextToken returns a token that no other request has.
func (c *client) nextToken() int64 { return c.token.Add(1) }

func (c *client) keepList(answer apiclient.Listed, notBefore int64) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.lists = append(c.lists, histories.List{NotBefore: notBefore, Version: answer.Version, Objects: answer.Objects})
}

// readCached reads an object from the cache, either not older than what the client
// knows, or at any version.
func (c *client) readCached(ctx context.Context, replica *replica) {
	name := c.name()
	version := c.known[name].Version
	if c.random.IntN(3) == 0 {
		version = 0
	}
	answer, err := replica.api.GetCached(ctx, name, version)
	if err != nil {
		c.t.Errorf("%v", err)
	}
	if err != nil || answer.Result == linearizability.Unknown {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.reads = append(c.reads, histories.Read{Name: name, NotBefore: version, Object: answer.Object})
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
	if before := c.cached[life]; answer.Version < before {
		c.t.Errorf("%s listed version %d, and version %d before", replica.URL, answer.Version, before)
	}
	c.cached[life] = answer.Version
	c.keepList(answer, version)
}
