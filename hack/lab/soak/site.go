package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

const (
	// seats is small, so that the elephant can fill them.
	seats = 30
	mice  = 10
	// micePace is the time between two requests of a mouse.
	micePace = 200 * time.Millisecond

	base         = "/apis/flowcontrol.apiserver.k8s.io/v1"
	elephantPath = base + "/flowschemas?resourceVersion=0"
	mousePath    = base + "/flowschemas/catch-all?resourceVersion=0"
)

// kind is a kind of traffic.
type kind int

const (
	ordinary kind = iota
	overload
)

func (k kind) String() string { return [...]string{"ordinary", "overload"}[k] }

// connections returns the number of connections of the elephant.
func (k kind) connections() int { return [...]int{4, 300}[k] }

// site is the server with its users.
type site struct {
	process *harness.Process
	target  *traffic.Target
	admin   *http.Client
	url     string
}

func startSite(o *harness.Owner) *site {
	server, target := traffic.StartServer(o, harness.ServerOptions{Program: harness.Program(o, binaries.Release), Args: []string{
		fmt.Sprintf("--max-requests-inflight=%d", seats), "--max-mutating-requests-inflight=0",
	}}, traffic.People("elephants", mice), traffic.Backend{})
	admin, err := rest.HTTPClientFor(server.Config(o))
	o.Check(err)
	return &site{process: server.Process, target: target, admin: admin, url: server.URL}
}

// turn sends traffic of one kind and returns the samples of that time.
func (s *site) turn(ctx context.Context, k kind, begin time.Time) ([]sample, error) {
	ctx, cancel := context.WithTimeout(ctx, turn)
	defer cancel()
	mouse := &small{}
	var group sync.WaitGroup
	defer group.Wait()
	send := func(name string, run func(*traffic.Client)) {
		client := s.target.Client(name)
		group.Go(func() {
			defer client.Close()
			run(client)
		})
	}
	send("elephant", func(c *traffic.Client) {
		traffic.Elephant(ctx, c, k.connections(), traffic.Polite, elephantPath, &traffic.Tally{})
	})
	for i := range mice {
		send(traffic.NameOfMouse(i), func(c *traffic.Client) { mouse.run(ctx, c) })
	}
	var samples []sample
	ticker := time.NewTicker(between)
	defer ticker.Stop()
	for range int(turn/between) - 1 {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return samples, context.Cause(ctx)
		}
		taken, err := s.sample(ctx)
		if err != nil {
			return samples, err
		}
		taken.kind, taken.at, taken.requests = k, time.Since(begin), mouse.next()
		samples = append(samples, taken)
	}
	<-ctx.Done()
	return samples, nil
}

// sample reads what the server uses.
func (s *site) sample(ctx context.Context) (sample, error) {
	text, err := s.do(ctx, http.MethodGet, "/metrics", "")
	if err != nil {
		return sample{}, err
	}
	values, err := scrape.Parse(text, "")
	if err != nil {
		return sample{}, err
	}
	memory, err := measurement.ProcessMemory(s.process.PID(), "VmRSS")
	return sample{
		memory: memory, goroutines: values.Sum("go_goroutines"), files: values.Sum("process_open_fds"), etcd: values.Sum("apiserver_storage_size_bytes"),
	}, err
}

// change creates, updates and deletes a level and a flow schema in turns, one each second.
func (s *site) change(ctx context.Context) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for number := 0; ; number++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		method, path, body := step(number)
		if _, err := s.do(ctx, method, path, body); err != nil && ctx.Err() == nil {
			return fmt.Errorf("change %d: %w", number, err)
		}
	}
}

// do sends a request of the administrator.
func (s *site) do(ctx context.Context, method, path, body string) (string, error) {
	reply, err := harness.Send(ctx, s.admin, method, s.url+path, body)
	if err == nil && reply.Code >= http.StatusMultipleChoices {
		err = fmt.Errorf("%s %s: %d: %s", method, path, reply.Code, reply.Body)
	}
	return reply.Body, err
}
