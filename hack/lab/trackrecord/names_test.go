package trackrecord

import (
	"context"
	"fmt"
	"net/http"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// ownNames is the Repository of the cases that nobody reported: what one client can do with many names.
const ownNames = "names"

const (
	namesSeats = 20
	// namesBegin is when the victims begin.
	namesBegin = 5 * time.Second
	namesTake  = 100 * time.Millisecond
	mouse      = "mouse"
)

// namesLast is how long a case lasts.
func namesLast() time.Duration { return lane.Pick(30*time.Second, 2*time.Minute) }

// namesSetup is a server with a level of 20 seats for all requests, which are divided by method. A request
// takes 100 ms, and 10 ms if it is the mouse's.
func namesSetup(method flowcontrolv1.FlowDistinguisherMethodType) Setup {
	everybody := ofUsers("everybody", "shared", 100, rules.All)
	everybody.Spec.DistinguisherMethod = &flowcontrolv1.FlowDistinguisherMethod{Type: method}
	setup := Setup{Total: namesSeats}.with(queuing("shared", 1000, 64, 6), everybody)
	setup.Serve = func(w http.ResponseWriter, r *http.Request) {
		who, _ := request.UserFrom(r.Context())
		d := namesTake
		if who.GetName() == mouse {
			d = namesTake / 10
		}
		takes(d)(w, r)
	}
	return setup
}

// crowd starts clients that each send a request, and the next one when it is answered, for a time. next
// returns the n-th request of all.
func (s *Site) crowd(clients int, d time.Duration, next func(n int) Request) *Tally {
	flow := next(0).flow(traffic.Flow{Threads: clients, For: d, Seed: 1, Spread: time.Duration(clients) * time.Millisecond}) // not all at once
	flow.Fresh = func(n int) traffic.User { return traffic.User{Name: next(n).User} }
	flow.Ask = func(n int) traffic.Request { return traffic.Request{Path: next(n).Path} }
	return s.Start(s.T.Context(), flow)
}

// besideNames returns what an established flow with five clients and a mouse get beside the names. It is harm if
// either fails, or if the flow gets less than .7 of its fair rate: the seats divided by it and the clients.
func besideNames(s *Site, clients int, attack func(n int) Request, established, mouse Request) Outcome {
	s.crowd(clients, namesLast(), attack)
	s.Wait(namesBegin)
	steady := s.crowd(5, namesLast()-namesBegin, func(int) Request { return established })
	small := s.Every(200*time.Millisecond, namesLast()-namesBegin, mouse)
	s.Join()
	fair := namesSeats / float64(clients+1) * (namesLast() - namesBegin).Seconds() / namesTake.Seconds()
	failed := steady.Sent() - steady.Executed() + small.Sent() - small.Executed()
	return Outcome{
		Measured: fmt.Sprintf("%d requests of the established flow, %d of its fair rate, %d of the mouse, the slowest in %v, %d failed",
			steady.Executed(), int(fair), small.Executed(), small.Slowest().Round(time.Millisecond), failed),
		Harmed: failed > 0 || float64(steady.Executed()) < 0.7*fair,
	}
}

const namesMeasures = "Requests of the established flow and the mouse. Less than .7 of the fair rate of the established flow, or a failure, is harm."

// sharedRejects takes the queues from the level, which harms everybody on both engines.
func sharedRejects(s *Setup) { s.Levels = levels{rejecting("shared", 1000)} }

func get(user, namespace string) Request {
	return Request{User: user, Path: "/api/v1/namespaces/" + namespace + "/pods"}
}

// Each request has a name that nobody has used.
func caseNames1() Case {
	return Case{
		Repository: ownNames, Number: 1, Year: 2026,
		Says:     "A new name for each request: a client that makes up names always has an unused one.",
		Does:     "21 clients send with a new user name for each request, on a level of 20 seats, for two minutes. An established flow has 5 clients, and a mouse sends a request of 10 ms each 200 ms.",
		Measures: namesMeasures,
		Setup:    namesSetup(flowcontrolv1.FlowDistinguisherMethodByUserType),
		Run: func(s *Site) Outcome {
			return besideNames(s, 21, func(n int) Request { return get(fmt.Sprint("fresh-", n), "shop") }, get("established", "shop"), get(mouse, "shop"))
		},
		Plant: sharedRejects,
	}
}

// Names come again after all others.
func caseNames2() Case {
	return Case{
		Repository: ownNames, Number: 2, Year: 2026,
		Says:     "3,000 names in turn: each is idle long enough to owe nothing and to be forgotten.",
		Does:     "30 clients take 3,000 user names in turn, on a level of 20 seats, for two minutes. An established flow has 5 clients, and a mouse sends a request of 10 ms each 200 ms.",
		Measures: namesMeasures,
		Setup:    namesSetup(flowcontrolv1.FlowDistinguisherMethodByUserType),
		Run: func(s *Site) Outcome {
			return besideNames(s, 30, func(n int) Request { return get(fmt.Sprint("turn-", n%3000), "shop") }, get("established", "shop"), get(mouse, "shop"))
		},
		Plant: sharedRejects,
	}
}

// Namespaces come from URLs, before authorization.
func caseNames3() Case {
	return Case{
		Repository: ownNames, Number: 3, Year: 2026,
		Says:     "Made-up namespaces: with the distinguisher ByNamespace one user has a flow for each namespace in a URL, although each request is answered 403.",
		Does:     "One user sends with 30 connections, each request to a namespace that does not exist, for two minutes, on a level of 20 seats with the distinguisher ByNamespace. Each is answered 403 after 100 ms. A namespace has 5 clients, and another a mouse.",
		Measures: namesMeasures,
		Setup:    namesSetup(flowcontrolv1.FlowDistinguisherMethodByNamespaceType),
		Run: func(s *Site) Outcome {
			served := s.setup.Serve
			s.setup.Serve = func(w http.ResponseWriter, r *http.Request) {
				if who, _ := request.UserFrom(r.Context()); who.GetName() == "mallory" {
					waitFor(r.Context(), namesTake)
					w.WriteHeader(http.StatusForbidden)
					return
				}
				served(w, r)
			}
			return besideNames(s, 30, func(n int) Request { return get("mallory", fmt.Sprint("made-up-", n)) }, get("alice", "shop"), get(mouse, "home"))
		},
		Plant: sharedRejects,
	}
}

func waitFor(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// One tenant has many names.
func caseNames4() Case {
	setup := namesSetup(flowcontrolv1.FlowDistinguisherMethodByUserType)
	setup.Tenants = true
	return Case{
		Repository: ownNames, Number: 4, Year: 2026,
		Says:     "One tenant with many names: a user who may create service accounts takes a share for each.",
		Does:     "150 service accounts of one namespace send with 4 connections each, for a minute, on a level of 20 seats. One service account of another namespace sends with 40. This project's engine has `--flow-control-tenants=service-account-namespaces`.",
		Measures: "The neighbour's part of the requests that executed. Less than .48 is harm.",
		Setup:    setup,
		Run: func(s *Site) Outcome {
			var all []*Tally
			for i := range 150 {
				user, groups := serviceAccount("crowd", fmt.Sprint("account-", i))
				all = append(all, s.Flood(4, namesLast()/2, Request{User: user, Groups: groups, Path: "/api/v1/pods"}))
			}
			user, groups := serviceAccount("shop", "neighbour")
			neighbour := s.Flood(40, namesLast()/2, Request{User: user, Groups: groups, Path: "/api/v1/pods"})
			s.Wait(namesLast() / 2)
			own, executed := neighbour.Executed(), neighbour.Executed()
			for _, tally := range all {
				executed += tally.Executed()
			}
			s.Join() // what waits then is served too, and mostly of the crowd
			part := float64(own) / float64(executed)
			return Outcome{Measured: fmt.Sprintf("%.2f of the requests are the neighbour's", part), Harmed: part < 0.48}
		},
	}
}
