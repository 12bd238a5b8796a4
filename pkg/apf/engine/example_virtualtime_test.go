package engine_test

import (
	"fmt"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// Three lists of 100 objects share one seat, in virtual time and on one goroutine. Each
// executes for 2 s. The last one leaves its queue after 3 s.
func Example_virtualTime() {
	now := clock.NewFake(time.Unix(0, 0))
	e := engine.New(engine.Options{Clock: now, Total: 1})
	e.Apply(engine.Configuration{
		Levels:  []engine.LevelConfig{queuing("busy", 1000)},
		Schemas: []rules.Schema{schemaOf("robot", "busy", 100)},
	})
	execute := func(name string, r *engine.Request) {
		fmt.Printf("%v: %s executes, it waited %v\n", now.Now(), name, r.Started()-r.Arrived())
		now.AfterFunc(2*time.Second, func() {
			r.Finish()
			r.End()
		})
	}
	for _, name := range []string{"first", "second", "third"} {
		r := e.Begin()
		r.Attributes.User, r.Attributes.Verb = "robot", "list"
		r.Attributes.IsResourceRequest, r.Attributes.Resource = true, "pods"
		r.Classify()
		cost := estimate.ForKubernetes(33).Read(estimate.Read{}, estimate.Stored{Objects: 100}, r.MaxWidth())
		r.Decided = func() { execute(name, r) }
		if r.Arrive(cost.Work) == queueset.Seated {
			execute(name, r)
		}
		if name == "third" {
			now.AfterFunc(3*time.Second, func() {
				fmt.Printf("%v: %s leaves %t, it waited %v\n", now.Now(), name, r.Leave(queueset.TimeOut), r.Waited())
			})
		}
	}
	now.Advance(time.Minute)

	// Output:
	// 0s: first executes, it waited 0s
	// 2s: second executes, it waited 2s
	// 3s: third leaves true, it waited 3s
}
