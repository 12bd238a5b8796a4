package replica_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	flowcontrolrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// peer is the flow control of k8s.io/apiserver.
type peer struct {
	mux     *mux.PathRecorderMux
	control flowcontrol.Interface
}

func newPeer(t *testing.T) *peer {
	t.Helper()
	client := fake.NewClientset()
	p := &peer{
		mux:     mux.NewPathRecorderMux("peer"),
		control: flowcontrol.New(informers.NewSharedInformerFactory(client, 0), client.FlowcontrolV1(), 100),
	}
	p.control.Install(p.mux)
	return p
}

// execute starts a request, which executes until the test ends, and returns when it
// executes.
func (p *peer) execute(t *testing.T, userName string, info *request.RequestInfo) {
	t.Helper()
	who := &user.DefaultInfo{Name: userName, Groups: []string{user.AllAuthenticated}}
	ctx := request.WithRequestInfo(request.WithUser(context.Background(), who), info)
	executes, end, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		p.control.Handle(ctx, flowcontrol.RequestDigest{RequestInfo: info, User: who},
			func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string) {},
			func() flowcontrolrequest.WorkEstimate {
				return flowcontrolrequest.WorkEstimate{InitialSeats: 2, FinalSeats: 3, AdditionalLatency: 5 * time.Millisecond}
			},
			func(bool) {},
			func() { close(executes); <-end })
	}()
	<-executes
	t.Cleanup(func() { close(end); <-ended })
}

func (p *peer) add(t *testing.T, state *replica.Replica, endpoint replica.Endpoint) {
	t.Helper()
	response := httptest.NewRecorder()
	p.mux.ServeHTTP(response, httptest.NewRequest(http.MethodGet, string(endpoint)+"?includeRequestDetails=1", nil))
	require.Equal(t, http.StatusOK, response.Code)
	state.Add(endpoint, response.Body)
}

func TestDumpsOfPeerAreRead(t *testing.T) {
	p := newPeer(t)
	info := &request.RequestInfo{
		IsResourceRequest: true, Verb: "update", Path: "/apis/apps/v1/namespaces/ns1/deployments/d1/scale",
		APIPrefix: "apis", APIGroup: "apps", APIVersion: "v1", Namespace: "ns1", Resource: "deployments", Subresource: "scale", Name: "d1",
	}
	p.execute(t, "CN=alice, O=devs", info)

	var state replica.Replica
	p.add(t, &state, replica.EndpointLevels)
	p.add(t, &state, replica.EndpointQueues)
	p.add(t, &state, replica.EndpointRequests)

	assert.Empty(t, state.Missing)
	require.Len(t, state.Levels, 2)
	assert.Equal(t, replica.Level{Name: "catch-all", Executing: 1}, state.Levels[0])
	assert.Equal(t, replica.Level{Name: "exempt"}, state.Levels[1])
	require.Len(t, state.Requests, 1)
	got := state.Requests[0]
	assert.WithinRange(t, got.Arrived, time.Unix(1, 0), got.Started)
	assert.Equal(t, new(3), got.Seats(), "it keeps them for its latency")
	got.Arrived, got.Started = time.Time{}, time.Time{}
	assert.Equal(t, replica.Request{
		Level: "catch-all", FlowSchema: "catch-all", Queue: -1, Place: -1,
		InitialSeats: new(2), FinalSeats: 3, Latency: 5 * time.Millisecond, User: "CN=alice, O=devs", Verb: "update",
		Path: info.Path, Namespace: "ns1", Name: "d1", APIVersion: "apps/v1", Resource: "deployments", SubResource: "scale",
	}, got)
}

// The path of a request is unescaped client input.
func TestRowsOfPeerThatLieDoNotBreakOthers(t *testing.T) {
	for _, path := range []string{"/a\tb", "/a,\tb", "/a, b", "/a\nb", "/a\nexempt,\tforged", "/a\r\n\r\n", "/\xff,\t\xff", "/世界, ü"} {
		t.Run(fmt.Sprintf("%q", path), func(t *testing.T) {
			p := newPeer(t)
			p.execute(t, "alice", &request.RequestInfo{Verb: "get", Path: "/before"})
			p.execute(t, "mallory", &request.RequestInfo{Verb: "get", Path: path})
			p.execute(t, "zoë", &request.RequestInfo{Verb: "get", Path: "/after"})

			var state replica.Replica
			p.add(t, &state, replica.EndpointRequests)

			users := map[string]string{}
			for _, r := range state.Requests {
				users[r.User] = r.Path
				assert.Equal(t, new(2), r.InitialSeats)
			}
			assert.Equal(t, "/before", users["alice"])
			assert.Equal(t, "/after", users["zoë"])
		})
	}
}
