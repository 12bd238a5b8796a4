package apf_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/leaks"
)

func TestMain(m *testing.M) { leaks.Main(m) }

// server is a FlowControl on a fake API.
type server struct {
	*apf.FlowControl
	client *fake.Clientset
}

// start runs a server until the end of the test, which waits for the end of Run (issue 97977).
func start(t *testing.T, total int, objects ...runtime.Object) *server {
	t.Helper()
	client := fake.NewClientset(objects...)
	factory := informers.NewSharedInformerFactory(client, 0)
	f, err := apf.New(apf.ConfigFor(factory, client.FlowcontrolV1(), total))
	require.NoError(t, err)
	stop := make(chan struct{})
	var running sync.WaitGroup
	factory.Start(stop)
	running.Go(func() { assert.NoError(t, f.Run(stop)) })
	t.Cleanup(func() {
		close(stop)
		running.Wait()
		factory.Shutdown()
	})
	<-f.Applied()
	return &server{FlowControl: f, client: client}
}

func digestOf(name string, groups ...string) flowcontrol.RequestDigest {
	return flowcontrol.RequestDigest{
		RequestInfo: &request.RequestInfo{IsResourceRequest: true, Verb: "get", APIVersion: "v1", Resource: "configmaps", Namespace: "default", Name: "settings"},
		User:        &user.DefaultInfo{Name: name, Groups: append(groups, "system:authenticated")},
	}
}

// call is the outcome of one request.
type call struct {
	schema, level string
	executed      bool
	notes         []bool
}

func (s *server) handle(ctx context.Context, digest flowcontrol.RequestDigest, execute func()) (c call) {
	s.Handle(ctx, digest,
		func(fs *flowcontrolv1.FlowSchema, pl *flowcontrolv1.PriorityLevelConfiguration, _ string) {
			c.schema, c.level = fs.Name, pl.Name
		},
		func() fcrequest.WorkEstimate { return fcrequest.WorkEstimate{InitialSeats: 1} },
		func(inQueue bool) { c.notes = append(c.notes, inQueue) },
		func() { c.executed = true; execute() })
	return c
}

func (s *server) seatsInUse() (seats int) {
	for _, l := range s.Engine().Report().Levels {
		seats += l.Figures.SeatsInUse
	}
	return seats
}

func TestHandleClassifiesAndExecutes(t *testing.T) {
	s := start(t, 600)
	for name, groups := range map[string][]string{"exempt": {"system:masters"}, "catch-all": nil} {
		c := s.handle(t.Context(), digestOf("somebody", groups...), func() { assert.Equal(t, 1, s.seatsInUse()) })
		assert.Equal(t, call{schema: name, level: name, executed: true}, c)
		assert.Zero(t, s.seatsInUse())
		assert.Zero(t, s.GetMaxSeats(name), "no queues")
	}
}

// queueing returns flow control with one seat and queues for everybody.
func queueing(t *testing.T) *server {
	t.Helper()
	one := int32(1)
	catchAll := bootstrap.MandatoryPriorityLevelConfigurationCatchAll.DeepCopy()
	catchAll.Spec.Limited.NominalConcurrencyShares = &one
	catchAll.Spec.Limited.LimitResponse = flowcontrolv1.LimitResponse{
		Type:    flowcontrolv1.LimitResponseTypeQueue,
		Queuing: &flowcontrolv1.QueuingConfiguration{Queues: 4, HandSize: 1, QueueLengthLimit: 10},
	}
	return start(t, 1, catchAll)
}

func TestARequestThatWaitsIsNotedTwiceAndLeavesWithItsContext(t *testing.T) {
	s := queueing(t)
	rejected := call{schema: "catch-all", level: "catch-all", notes: []bool{true, false}}
	served := rejected
	served.executed = true
	var waiter sync.WaitGroup
	holder := s.handle(t.Context(), digestOf("a"), func() {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		assert.Equal(t, rejected, s.handle(ctx, digestOf("b"), func() {}))
		waiter.Go(func() { assert.Equal(t, served, s.handle(context.Background(), digestOf("b"), func() {})) })
		eventually.Holds(t, "the second request waits", func(a *eventually.Attempt) {
			require.Equal(a, 1, s.Engine().Report().Levels[0].Figures.Waiting)
		})
	})
	waiter.Wait()
	assert.True(t, holder.executed)
	assert.Empty(t, holder.notes, "it never waited")
	assert.Zero(t, s.seatsInUse())
}

// get returns the JSON of a debug endpoint.
func (s *server) get(t *testing.T, endpoint string) (rows []map[string]any) {
	t.Helper()
	m := mux.NewPathRecorderMux("test")
	s.Install(m)
	r, w := httptest.NewRequest(http.MethodGet, "/debug/api_priority_and_fairness/"+endpoint, nil), httptest.NewRecorder()
	r.Header.Set("Accept", "application/json")
	m.ServeHTTP(w, r)
	require.Equal(t, http.StatusOK, w.Code)
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &rows))
	return rows
}
