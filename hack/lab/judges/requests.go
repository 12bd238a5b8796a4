package judges

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

// pace is the time between two reads of the mouse, and mouseTimeout how long it waits for an answer.
const pace, mouseTimeout = 10 * time.Millisecond, 30 * time.Second

// read reads one flow schema repeatedly until done is closed, and waits for the last answers.
func (s *Server) read(ctx context.Context, done <-chan struct{}) (measurement.Samples, error) {
	return traffic.Load{Flows: []traffic.Flow{{
		Users: []traffic.User{{Token: mouse}}, Every: pace, Ask: traffic.Get(schemas + "/catch-all"), Done: done, Patience: mouseTimeout, Multiplexed: true,
	}}}.Run(ctx, s.target)
}

// asking returns an attack of as many requests as asked for. Each is of another user and asks for something else, by
// its number.
func asking(flow traffic.Flow) func(ctx context.Context, s *Server, size Size, tally *Tally) error {
	return func(ctx context.Context, s *Server, size Size, tally *Tally) error {
		flow.Users, flow.Threads = []traffic.User{{}}, min(workers, size.Count)
		flow.Count, flow.Rude = (size.Count+flow.Threads-1)/flow.Threads, true
		return s.flood(ctx, flow, tally)
	}
}

// flood sends the requests of a flow on connections of its own: the server closes connections of unknown clients.
func (s *Server) flood(ctx context.Context, flow traffic.Flow, tally *Tally) error {
	target, err := traffic.TargetOf(s.anonymous)
	if err != nil {
		return err
	}
	defer target.Close()
	_, err = traffic.Load{Flows: []traffic.Flow{flow}, Seen: tally.addSample}.Run(ctx, target)
	return err
}

// strangers are requests of flow schemas, each by another user who has no permission.
func strangers(who func(n int) traffic.User) traffic.Flow {
	return traffic.Flow{Multiplexed: true, Fresh: who, Ask: traffic.Get(schemas)}
}

// tokened returns users, each with another token.
func tokened(n int) traffic.User { return traffic.User{Token: fmt.Sprintf("token-%d", n)} }

// everybody is always the same user.
func everybody(who traffic.User) func(int) traffic.User {
	return func(int) traffic.User { return who }
}

// impersonating returns requests of flow schemas by a user who names another user each time.
func impersonating(who traffic.User) traffic.Flow {
	flow := strangers(everybody(who))
	flow.Ask = func(n int) traffic.Request {
		return traffic.Request{Path: schemas, Header: map[string]string{"Impersonate-User": fmt.Sprintf("user-%d", n)}}
	}
	return flow
}

// paths are anonymous requests of paths, each another one.
func paths() traffic.Flow {
	flow := strangers(everybody(traffic.User{}))
	flow.Ask = func(n int) traffic.Request { return traffic.Request{Path: fmt.Sprintf("/path-%d", n)} }
	return flow
}

// aliases are YAML aliases of a text, also beside a key that is there twice, with a tag, and as a patch.
// No object may have the name.
func aliases() traffic.Flow {
	const name = "Hostile_Object"
	named := strings.Repeat("x", 30<<10)
	beginnings := []string{"a: &a " + named + "\n", "a: &a " + named + "\na: 1\n", "a: &a !!binary " + named + "\n", "a: &a " + named + "\n"}
	list := "b: [" + strings.Repeat("*a, ", 5000) + "*a]\n"
	flow := strangers(everybody(traffic.User{Token: writer}))
	flow.Ask = func(n int) traffic.Request {
		body := "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: " + name + "}\n" + beginnings[n%len(beginnings)] + list
		if n%len(beginnings) == len(beginnings)-1 {
			return traffic.Request{Method: http.MethodPatch, Path: schemas + "/" + name + "?fieldManager=x", Body: body,
				Header: map[string]string{"Content-Type": "application/apply-patch+yaml"}}
		}
		return traffic.Request{Method: http.MethodPost, Path: schemas, Body: body, Header: map[string]string{"Content-Type": "application/yaml"}}
	}
	return flow
}
