package scenario

import (
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// identity is who sends, and what.
type identity struct {
	random   *rand.Rand
	start    time.Time
	from     time.Duration
	requests []Request
	seed     trace.Request // user, groups, client and replica
}

func (i identity) with(random *rand.Rand) identity {
	i.random = random
	return i
}

// build returns a request of a kind.
func (i *identity) build(kind *Request) trace.Request {
	r := i.seed
	r.Verb, r.APIGroup, r.APIVersion, r.Resource, r.Subresource = kind.Verb, kind.APIGroup, kind.APIVersion, kind.Resource, kind.Subresource
	r.Namespace, r.Name, r.Path, r.Status = kind.Namespace, kind.Name, kind.Path, kind.Status
	if kind.List != nil {
		list := trace.ListOptions(*kind.List)
		r.List = &list
	}
	r.Execution = &metav1.Duration{Duration: kind.Execution.draw(i.random)}
	if r.Verb == "watch" {
		r.Latency = r.Execution
	}
	return r
}

// choose returns a request of a kind that is chosen by weight.
func (i *identity) choose() trace.Request {
	total := 0.0
	for k := range i.requests {
		total += i.requests[k].Weight
	}
	rest := i.random.Float64() * total
	for k := range i.requests {
		if rest -= i.requests[k].Weight; rest < 0 {
			return i.build(&i.requests[k])
		}
	}
	return i.build(&i.requests[len(i.requests)-1])
}
