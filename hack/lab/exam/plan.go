package main

import (
	"fmt"
	"net/http"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

// plan is what the exam asks, and how fast.
type plan struct {
	// rate is how many requests are sent within any second at most.
	rate int
	// group is a group of all users beside their own.
	groups []string
	// get is what the mice ask, heavy what elephants ask, list is a wide list.
	get, heavy, list string
	// lease returns the renewal of a lease by its holder, nil if the server has no leases.
	lease func(holder int) traffic.Request
	// probe is the path of the exempt probe, and late is how long its answer may take.
	probe string
	late  time.Duration
}

// The names of flows. Users have the same names in each exam, so that a server that hashes names into queues
// does the same in each.
const (
	mice      = "mice"
	elephants = "elephants"
	crowd     = "crowd"
	neighbour = "neighbour"
	alone     = "alone"
	prober    = "probe"
)

const (
	// mouseCount mice each send a request every mousePace: few enough that each asks for less than its fair
	// share beside 150 elephants, on a server that serves a third of the rate.
	mouseCount, mousePace = 80, 4 * time.Second
	// holders renew their leases every renewal, as leader election does by default, and lose them after
	// renewDeadline.
	holders, renewal, renewDeadline = 3, 2 * time.Second, 10 * time.Second
	// concurrency is how many requests the elephants have in flight together.
	concurrency = 600
	probePace   = 500 * time.Millisecond
	// patience is the client's timeout of a request.
	patience = traffic.Timeout
	// settle is the time between two scenes.
	settle = 1500 * time.Millisecond
)

// scene is a time of the exam with a load of its own. The mice ask in all of them.
type scene struct {
	name  string
	lasts time.Duration
	flows []traffic.Flow
}

// The names of scenes.
const (
	quiet        = "quiet"
	oneElephant  = "1 elephant"
	elephants30  = "30 elephants"
	elephants150 = "150 elephants"
	freshNames   = "names that come and go"
	tenantNames  = "one tenant with 150 names"
	burst        = "burst"
	wideLists    = "50 wide lists"
	leavers      = "clients that leave"
)

// opening is the first scene: the mice alone, and one elephant that asks one request after the other.
func (p plan) opening() scene {
	return scene{quiet, 5 * time.Second, []traffic.Flow{
		{Name: alone, Users: p.users("elephant", 1), Ask: traffic.Get(p.heavy), Patience: patience},
		{Name: wideLists, Users: p.users("lister", 1), Ask: traffic.Get(p.list), Patience: patience, Count: 10},
	}}
}

// scenes are the others. A client leaves after leave.
func (p plan) scenes(leave time.Duration) []scene {
	busy := func(lasts time.Duration, flow traffic.Flow) scene {
		flow.Name, flow.Retry = elephants, traffic.ClientGo()
		if flow.Ask == nil {
			flow.Ask = traffic.Get(p.heavy)
		}
		if flow.Patience == 0 {
			flow.Patience = patience
		}
		return scene{"", lasts, []traffic.Flow{flow}}
	}
	herd := func(count int) scene {
		return busy(10*time.Second, traffic.Flow{Users: p.users("elephant", count), Threads: concurrency / count})
	}
	named := func(name string, s scene) scene {
		s.name = name
		return s
	}
	return []scene{
		named(oneElephant, herd(1)),
		named(elephants30, herd(30)),
		named(elephants150, herd(150)),
		named(freshNames, busy(10*time.Second, traffic.Flow{
			Users: p.users("new", 1), Threads: concurrency,
			Fresh: func(n int) traffic.User { return p.user(fmt.Sprint("new-", n)) },
		})),
		{tenantNames, 12 * time.Second, []traffic.Flow{
			{Name: crowd, Users: p.accounts("crowd", 150), Threads: 2, Ask: traffic.Get(p.heavy), Patience: patience, Retry: traffic.ClientGo()},
			{Name: neighbour, Users: p.accounts("neighbour", 1), Threads: 100, Ask: traffic.Get(p.heavy), Patience: patience, Retry: traffic.ClientGo()},
		}},
		named(burst, busy(burstLasts, traffic.Flow{Users: p.users("elephant", 150), Threads: burstRequests / 150, Count: 1})),
		named(wideLists, busy(8*time.Second, traffic.Flow{Users: p.users("lister", 1), Threads: 50, Ask: traffic.Get(p.list)})),
		named(leavers, busy(8*time.Second, traffic.Flow{Users: p.users("elephant", 30), Threads: concurrency / 30, Patience: leave, Multiplexed: true})),
	}
}

// A burst is so many requests, sent as fast as the rate allows.
const burstRequests, burstLasts = 600, 15 * time.Second

// steady are the flows of every scene.
func (p plan) steady() []traffic.Flow {
	flows := []traffic.Flow{{Name: mice, Users: p.users("mouse", mouseCount), Every: mousePace, Ask: traffic.Get(p.get), Patience: patience}}
	if p.lease != nil {
		for i, holder := range p.users("holder", holders) {
			flows = append(flows, traffic.Flow{
				Name: leaseOf(i), Users: []traffic.User{holder}, Every: renewal, Patience: renewDeadline / 2,
				Ask: func(int) traffic.Request { return p.lease(i) },
			})
		}
	}
	return append(flows, traffic.Flow{
		Name: prober, Users: []traffic.User{{}}, Every: probePace, Patience: p.late,
		Ask: func(int) traffic.Request { return traffic.Request{Method: http.MethodGet, Path: p.probe} },
	})
}

// leaseOf names the renewals of a holder.
func leaseOf(holder int) string { return fmt.Sprint("lease-", holder) }

// prefix begins the names of all users.
const prefix = "apf-exam-"

func (p plan) user(name string) traffic.User {
	return traffic.User{Name: prefix + name, Groups: append([]string{usersGroup}, p.groups...)}
}

func (p plan) users(name string, count int) (users []traffic.User) {
	for i := range count {
		users = append(users, p.user(fmt.Sprint(name, "-", i)))
	}
	return users
}

// usersGroup is a group of all users.
const usersGroup = prefix + "users"

// accounts are service accounts of a namespace, which need not exist.
func (p plan) accounts(namespace string, count int) (users []traffic.User) {
	for i := range count {
		namespace := prefix + namespace
		users = append(users, traffic.User{
			Name:   fmt.Sprintf("system:serviceaccount:%s:account-%d", namespace, i),
			Groups: append([]string{usersGroup, "system:serviceaccounts", "system:serviceaccounts:" + namespace}, p.groups...),
		})
	}
	return users
}
