package main

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	seats          = 30
	takes          = 250 * time.Millisecond
	greedy         = 30
	connections    = 10 // of each; the queues are too short for all of their requests
	mice           = 5
	mousePerSecond = 2
	runTime        = 10 * time.Second
)

func crowd() traffic.Crowd {
	return traffic.Crowd{
		Greedy: greedy, Connections: connections, Mice: mice, Pace: time.Second / mousePerSecond,
		Seats: seats, Takes: takes, QueueLength: 3,
	}
}

// scene is the server with its users.
type scene struct {
	kubectl *harness.Kubectl
	target  *traffic.Target
}

func setUp(o *harness.Owner) *scene {
	users := crowd()
	server, target := traffic.StartServer(o, harness.ServerOptions{Args: users.Args()}, users.People(), users.Backend())
	return &scene{kubectl: server.Kubectl(o), target: target}
}

// run sends the requests of all users for runTime, on a level.
func (s *scene) run(o *harness.Owner, level string) result {
	s.kubectl.RunInput(o, crowd().Objects(level), "apply", "-f", "-")
	s.kubectl.Run(o, "wait", "--for=condition=Dangling=False", "flowschema/"+traffic.Everybody)
	samples, err := crowd().Load(runTime).Run(o.Context(), s.target)
	o.Check(err)
	return result{greedy: samples.Of(traffic.Greedy), mice: samples.Of(traffic.Mice)}
}
