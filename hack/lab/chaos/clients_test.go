package chaos_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/chaos"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/histories"
)

const (
	cells, clientsOfACell = 2, 4
	// mostOfAName and mostLost bound the operations on one object, and those among
	// them without an answer, so that the model can judge them.
	mostOfAName, mostLost = 150, 6
	// targets is the number of schemas whose levels come and go.
	targets = 4
)

// start starts all clients:
//
//   - cells of clients that share one object, and use any server;
//   - a client of each server, with an object of its own;
//   - a client that creates and deletes the levels of schemas, and one that patches the
//     schemas;
//   - a client that lists.
func (l *load) start(ctx context.Context) {
	number := 0
	run := func(pinned *replica, work func(*client)) {
		c := l.newClient(number, pinned)
		number++
		l.clients.Go(func() {
			for !l.stopped() {
				work(c)
			}
		})
	}
	for i := range cells {
		shared := &cell{load: l, prefix: fmt.Sprintf("cell-%d", i)}
		for range clientsOfACell {
			run(nil, func(c *client) { shared.work(ctx, c) })
		}
	}
	for i, r := range l.replicas {
		own := &cell{load: l, prefix: fmt.Sprintf("own-%d", i)}
		run(r, func(c *client) { own.work(ctx, c) })
	}
	run(nil, func(c *client) { c.toggle(ctx) })
	run(nil, func(c *client) { c.patchSchema(ctx) })
	run(nil, func(c *client) { c.list(ctx) })
}

// cell is one object at a time, which clients share.
type cell struct {
	*load
	prefix string

	mutex             sync.Mutex
	number, used, out int // guarded by mutex: of the object, its operations, those without an answer
}

func (s *cell) name() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return fmt.Sprintf("%s-%d", s.prefix, s.number)
}

// count counts an operation, and continues with the next object after many.
func (s *cell) count(name string, result chaos.Result) (over bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if name != fmt.Sprintf("%s-%d", s.prefix, s.number) {
		return false
	}
	s.used++
	if result == chaos.Unknown {
		s.out++
	}
	if s.used < mostOfAName && s.out < mostLost {
		return false
	}
	s.number, s.used, s.out = s.number+1, 0, 0
	return true
}

// work makes one operation on the object of the cell, and deletes one that was used
// enough.
func (s *cell) work(ctx context.Context, c *client) {
	name := s.name()
	if c.random.IntN(10) == 0 {
		c.readCached(ctx, name)
		return
	}
	s.use(name)
	output := c.operate(ctx, c.replica(), chaos.Choose(c.random, name, c.known[name], c.nextToken))
	if s.count(name, output.Result) {
		c.operate(ctx, c.replica(), chaos.Input{Verb: chaos.Delete, Name: name})
	}
}

// readCached reads an object from the cache, not older than what the client knows, or at any version.
func (c *client) readCached(ctx context.Context, name string) {
	read := histories.Read{Name: name}
	if c.random.IntN(3) > 0 {
		read.NotBefore = c.known[name].Version
	}
	r, start := c.replica(), c.now()
	life := r.life.Load()
	answer, err := r.api.GetCached(ctx, name, read.NotBefore)
	if err != nil {
		c.t.Errorf("%v", err)
	}
	if answer.Result != chaos.Unknown {
		read.Object = answer.Object
		c.mutex.Lock()
		c.reads = append(c.reads, read)
		c.mutex.Unlock()
	}
	c.note(r, life, start, "read of "+name+" from the cache", answer.Reply)
}

func target(i int) string { return fmt.Sprintf("target-%d", i) }

// toggle creates or deletes the level of a schema.
func (c *client) toggle(ctx context.Context) {
	name := target(c.random.IntN(targets))
	c.use(name)
	input := chaos.Input{Verb: chaos.Delete, Name: name}
	if c.random.IntN(2) == 0 {
		input.Verb, input.Token = chaos.Create, c.nextToken()
	}
	c.operate(ctx, c.replica(), input)
	c.wait(10 * pause)
}

// patchSchema changes one of the schemas.
func (c *client) patchSchema(ctx context.Context) {
	r, name, token := c.replica(), target(c.random.IntN(targets)), c.nextToken()
	body, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{chaos.TokenAnnotation: strconv.FormatInt(token, 10)}},
		"spec":     map[string]any{"matchingPrecedence": 1000 + c.random.IntN(8000)},
	})
	if err != nil {
		c.t.Errorf("%v", err)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	start, life := c.now(), r.life.Load()
	schema, err := r.client.FlowcontrolV1().FlowSchemas().Patch(ctx, name, types.MergePatchType, body, metav1.PatchOptions{})
	c.note(r, life, start, "patch of "+name, replyOf(err))
	if err == nil {
		c.acknowledged.Add(1)
		observed, err := histories.ObjectOf(schema)
		if err != nil {
			c.t.Errorf("%v", err)
		}
		c.acknowledge(chaos.Schemas, name, token, observed.Version, observed.Content)
	}
	c.wait(5 * pause)
}

// replyOf converts the error of a typed client.
func replyOf(err error) chaos.Reply {
	if err == nil {
		return chaos.Reply{Code: http.StatusOK}
	}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return chaos.Reply{Code: int(status.Status().Code), Body: []byte(status.Status().Message)}
	}
	return chaos.Reply{Err: err}
}

// list lists the levels, by a quorum, or from the cache: not older than what any client
// knows, or at any version.
func (c *client) list(ctx context.Context) {
	newest, version := c.newest.Load(), ""
	switch c.random.IntN(4) {
	case 0:
		newest = 0
		fallthrough
	case 1:
		version = strconv.FormatInt(newest, 10)
	}
	r, start := c.replica(), c.now()
	life := r.life.Load()
	listed, err := r.api.List(ctx, version)
	if err != nil {
		c.t.Errorf("%v", err)
	}
	if listed.Result == chaos.Done {
		c.acknowledged.Add(1)
		c.keep(histories.List{NotBefore: newest, Version: listed.Version, Objects: listed.Objects})
	}
	c.note(r, life, start, "list", listed.Reply)
	c.wait(3 * pause)
}

func (l *load) keep(list histories.List) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.lists = append(l.lists, list)
}

// readAll reads every object that was ever used, by a list of each server, to find lost
// writes.
func (c *client) readAll(ctx context.Context) error {
	for _, r := range c.replicas {
		call, newest := c.history.Now(), c.newest.Load()
		listed, err := r.api.List(ctx, "")
		if err != nil {
			return err
		}
		if listed.Result != chaos.Done {
			return fmt.Errorf("the last list of %s: %v", r.URL, listed.Reply)
		}
		c.keep(histories.List{NotBefore: newest, Version: listed.Version, Objects: listed.Objects})
		reads := map[chaos.Input]chaos.Output{}
		for name := range c.names {
			output, ok := listed.Outputs[name]
			if !ok {
				output.Result = chaos.Absent
			}
			reads[chaos.Input{Verb: chaos.Read, Name: name}] = output
		}
		c.history.Add(c.number, call, reads)
	}
	return nil
}
