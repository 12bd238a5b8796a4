package findings

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// begin is when the requests of these tests begin.
func begin() time.Time { return time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC) }

// sent is a request of a log.
type sent struct {
	user, agent    string
	at, took, wait time.Duration // at is after begin
	verb, resource string
	level          string // of a line of -v=3; empty for an audit event
	rejected       bool
}

func (s sent) request() *trace.Request {
	latency := metav1.Duration{Duration: s.took + s.wait}
	r := &trace.Request{
		Arrival: begin().Add(s.at), User: s.user, Groups: trace.WellKnownGroups(s.user), Client: s.agent, Verb: s.verb, Resource: s.resource,
		APIVersion: "v1", Namespace: "shop", Latency: &latency, PriorityLevel: s.level, FlowSchema: s.level,
	}
	if r.Groups == nil {
		r.Groups = []string{"system:authenticated"}
	}
	if s.resource == "leases" {
		r.APIGroup = "coordination.k8s.io"
	}
	if s.wait > 0 {
		r.Wait = &metav1.Duration{Duration: s.wait}
	}
	if s.rejected {
		r.Rejected = "queue-full"
	}
	return r
}

func TestLimitsOfClientsAreFoundInTheirLogs(t *testing.T) {
	const user = "system:serviceaccount:shop:op"
	asks := func(requests ...sent) []string {
		result := of(t, Input{Below: builtIn(t), Read: func(traffic *Traffic) ([]string, error) {
			for _, s := range requests {
				traffic.Observe(s.request())
			}
			pods := flow.Attributes{Verb: "list", IsResourceRequest: true, APIVersion: "v1", Resource: "pods"}
			traffic.Say("op.log", user, &logs.Wait{Delay: 2 * time.Second, Attributes: pods})
			return nil, nil
		}})
		var found []string
		for _, f := range result.Findings {
			found = append(found, fmt.Sprintf("%s %s %s", f.Severity, f.Code, f.Object))
		}
		return found
	}
	one := sent{user: user, agent: "c", took: 10 * time.Millisecond, verb: "get", resource: "pods"}
	full := sent{user: "system:serviceaccount:shop:other", agent: "o", at: 20 * time.Second, verb: "get", resource: "pods", rejected: true}
	assert.Equal(t, []string{"info FC603 User/" + user}, asks(), "without requests nothing is known")
	assert.Equal(t, []string{"warning FC603 User/" + user}, asks(one), "so short a request did not wait")
	one.took = 300 * time.Millisecond
	assert.Equal(t, []string{"info FC603 User/" + user}, asks(one), "the log does not tell how long it waited")
	assert.Equal(t, []string{"info FC603 User/" + user}, asks(full), "flow control held requests of the level up")
}
