package findings

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// sent is a request of a log.
type sent struct {
	user, agent, address string
	at, took, wait       time.Duration // at is after begin
	verb, resource       string
	level                string // of a line of -v=3; empty for an audit event
	rejected             bool
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

// lintOf returns the findings about the requests on the built-in configuration, whose level
// global-default has 49 seats, workload-low 245 and workload-high 98.
func lintOf(t *testing.T, facts source.Facts, requests ...sent) []string {
	t.Helper()
	slices.SortStableFunc(requests, func(a, b sent) int { return int(a.at - b.at) })
	result := of(t, Input{Below: builtIn(t), Facts: facts, Read: func(traffic *Traffic) ([]string, error) {
		for _, s := range requests {
			traffic.Observe(s.request(), s.address)
		}
		return nil, nil
	}})
	found := []string{}
	for _, f := range result.Findings {
		found = append(found, fmt.Sprintf("%s %s %s", f.Severity, f.Code, f.Object))
	}
	return found
}

func address(node int) string { return fmt.Sprintf("10.0.0.%d", node) }

// kubelets are a request of each of some nodes.
func kubelets(n int) []sent {
	var all []sent
	for node := range n {
		all = append(all, sent{user: fmt.Sprintf("system:node:n%d", node), address: address(node), verb: "get", resource: "pods"})
	}
	return all
}

func TestAgentsOfNodesAreFoundInLogs(t *testing.T) {
	from := func(user string, nodes ...int) []sent {
		var all []sent
		for _, node := range nodes {
			all = append(all, sent{user: user, agent: user + "/v1", address: address(node), at: time.Second, verb: "list", resource: "services"})
		}
		return all
	}
	for _, test := range []struct {
		name string
		log  []sent
		want []string
	}{
		{"kube-proxy with a certificate", from("system:kube-proxy", 1), []string{"warning FC601 User/system:kube-proxy"}},
		{"kube-proxy with the service account of kubeadm", from("system:serviceaccount:kube-system:kube-proxy", 0, 1, 2, 3), []string{}},
		{"a user on all nodes", from("cni", 0, 1, 2, 3), []string{"warning FC601 User/cni"}},
		{"a service account on all nodes has the level of service accounts", from("system:serviceaccount:net:cni", 0, 1, 2, 3), []string{}},
		{"a user on one node", from("alice", 2, 2, 2), []string{}},
		{"a user who sends from elsewhere too", from("alice", 2, 3, 17, 18, 19), []string{}},
		{"a line of kube-proxy without a user", []sent{{agent: "kube-proxy/v1.33.0 (linux/amd64)", verb: "list", resource: "services", level: "global-default"}}, []string{"warning FC601 Program/kube-proxy"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, lintOf(t, source.Facts{}, append(kubelets(4), test.log...)...))
		})
	}
	t.Run("everybody comes through a proxy", func(t *testing.T) {
		log := append(kubelets(4), from("cni", 0, 1, 2, 3)...)
		for i := range log {
			log[i].address = address(100 + i%2) // of two proxies
		}
		assert.Empty(t, lintOf(t, source.Facts{}, log...))
	})
}

// operator sends work, and a write of its lease every two seconds, for 20 seconds.
func operator(user string, parallel int, wait time.Duration) []sent {
	var all []sent
	for k := range 200 {
		at := time.Duration(k)*100*time.Millisecond + time.Duration(k*k%7)*time.Millisecond
		for range parallel {
			all = append(all, sent{user: user, agent: "op", at: at, took: 95 * time.Millisecond, wait: wait, verb: "update", resource: "deployments"})
		}
		if k%20 == 0 {
			all = append(all, sent{user: user, agent: "op", at: at, took: 5 * time.Millisecond, wait: wait, verb: "update", resource: "leases"})
		}
	}
	return all
}

func TestLeasesInTheLevelThatTheirOperatorFills(t *testing.T) {
	const user, other = "system:serviceaccount:shop:op", "system:serviceaccount:shop:other"
	for _, test := range []struct {
		name string
		log  []sent
		want []string
	}{
		{"requests wait", operator(user, 5, time.Second), []string{"warning FC602 User/" + user}},
		{"all 245 seats are in use", operator(user, 245, 0), []string{"warning FC602 User/" + user}},
		{"seats are free", operator(user, 5, 0), []string{}},
		{"others use more", append(operator(user, 2, time.Second), operator(other, 9, time.Second)...), []string{"warning FC602 User/" + other}},
		{"its leases are in another level", operator("system:serviceaccount:kube-system:op", 5, time.Second), []string{}},
	} {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, lintOf(t, source.Facts{}, test.log...)) })
	}
}

func TestWebhooksThatAskTheirOwnLevel(t *testing.T) {
	facts := source.Facts{Servers: []source.Server{{
		Kind: "ValidatingWebhookConfiguration", Name: "policy", Namespace: "policy", Service: "hook", ServiceAccount: "hook",
		Requests: []flowcontrolv1.ResourcePolicyRule{{Verbs: []string{"create"}, APIGroups: []string{""}, Resources: []string{"pods"}, Namespaces: []string{"*"}}},
	}}}
	// log has a Pod created each second, for 200 ms, and the webhook's request that much
	// after it.
	log := func(user string, after func(k int) time.Duration) []sent {
		var all []sent
		for k := range 30 {
			at := time.Duration(k) * time.Second
			all = append(all, sent{user: user, agent: "c", at: at, took: 200 * time.Millisecond, verb: "create", resource: "pods"},
				sent{user: "system:serviceaccount:policy:hook", agent: "h", at: at + after(k), took: 5 * time.Millisecond, verb: "list", resource: "configmaps"})
		}
		return all
	}
	meanwhile := func(int) time.Duration { return 50 * time.Millisecond }
	anytime := func(k int) time.Duration { return time.Duration(k*333%1000) * time.Millisecond }
	hook := []string{"warning FC502 ValidatingWebhookConfiguration/policy"}
	without := func(found []string) []string {
		return slices.DeleteFunc(found, func(f string) bool { return f == "info FC501 ValidatingWebhookConfiguration/policy" })
	}
	assert.Equal(t, hook, without(lintOf(t, facts, log("system:serviceaccount:shop:ci", meanwhile)...)))
	assert.Empty(t, without(lintOf(t, facts, log("system:serviceaccount:shop:ci", anytime)...)), "they come at any time")
	assert.Empty(t, without(lintOf(t, facts, log("alice", meanwhile)...)), "users have another level")
	assert.Empty(t, without(lintOf(t, facts, log("system:serviceaccount:policy:hook", meanwhile)...)), "its own Pods are no requests of others")
}

func TestLimitsOfClientsAreFoundInLogs(t *testing.T) {
	limited := func(user string) []sent {
		var all []sent
		for k := range 200 {
			all = append(all, sent{user: user, agent: "c", at: time.Duration(max(0, k-10)) * 200 * time.Millisecond, took: 10 * time.Millisecond, verb: "get", resource: "pods"})
		}
		return all
	}
	const user = "system:serviceaccount:shop:op"
	assert.Equal(t, []string{"info FC603 User/" + user}, lintOf(t, source.Facts{}, limited(user)...))
	full := sent{user: "system:serviceaccount:shop:other", agent: "o", at: 20 * time.Second, verb: "get", resource: "pods", rejected: true}
	assert.Empty(t, lintOf(t, source.Facts{}, append(limited(user), full)...), "flow control held requests of the level up meanwhile")
	full.at = 100 * time.Second
	assert.Len(t, lintOf(t, source.Facts{}, append(limited(user), full)...), 1, "not meanwhile")
}

// TestTimeline derives the seats in use from requests one by one.
func TestTimeline(t *testing.T) {
	line := newTimeline()
	at := func(seconds float64) time.Time { return begin().Add(time.Duration(seconds * float64(time.Second))) }
	for _, u := range []use{
		{start: at(0), end: at(2.5), seats: 3},
		{start: at(0.5), end: at(0.6), seats: 4},
		{start: at(5), end: at(6), seats: 2}, // it waited, and comes before one that did not
		{start: at(2.5), end: at(3), seats: 6},
		{start: at(3.5), heldUp: true},
	} {
		line.add("a", "l", &u)
	}
	line.add("b", "l", &use{start: at(0.55), end: at(0.7), seats: 5})
	line.finish()
	for _, test := range []struct {
		from, to     float64
		peak, heldUp int
	}{{0, 0.9, 7, 0}, {1, 1.9, 3, 0}, {2, 2.9, 6, 0}, {3, 4.9, 6, 1}, {4, 4.9, 0, 0}, {4, 9, 2, 0}, {0, 9, 7, 1}} {
		peak, heldUp := line.between("l", at(test.from), at(test.to))
		assert.Equal(t, []int{test.peak, test.heldUp}, []int{peak, heldUp}, "%v", test)
	}
	require.Equal(t, lint.LevelTraffic{HeldUp: 1, SeatSeconds: 3*2.5 + 0.4 + 2 + 3 + 0.75, Peak: 7}, line.levels()["l"])
}
