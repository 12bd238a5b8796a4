package apf_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// While seats were free, all queues were empty, and requests in the queue -1.
func TestDumpsAreThoseOfThePeerWhileSeatsAreFree(t *testing.T) {
	level := levelWithQueues("level", 100)
	level.Spec.Limited.LimitResponse.Queuing.Queues = 8
	level.Spec.Limited.LendablePercent = new(int32(0)) // so that it has its seats initially
	client := fake.NewClientset(level, schemaOf("alice", level.Name), schemaOf("bob", level.Name), schemaOf("carol", level.Name))
	ours := func(factory informers.SharedInformerFactory) flowcontrol.Interface {
		f, err := apf.New(apf.ConfigFor(factory, client.FlowcontrolV1(), 100))
		require.NoError(t, err)
		return f
	}
	peer := func(factory informers.SharedInformerFactory) flowcontrol.Interface {
		return flowcontrol.New(factory, client.FlowcontrolV1(), 100)
	}
	want := dumpsOf(t, client, peer)
	assert.Len(t, want["dump_requests"], 4)
	assert.Equal(t, want, dumpsOf(t, client, ours))
}

// dumpsOf returns rows of an engine that executes requests of three flows. It keeps the rows of the
// level with queues, without the columns that have times.
func dumpsOf(t *testing.T, client *fake.Clientset, create func(informers.SharedInformerFactory) flowcontrol.Interface) map[string][][]string {
	t.Helper()
	factory := informers.NewSharedInformerFactory(client, 0)
	engine := create(factory)
	stop, ended := make(chan struct{}), make(chan error, 1)
	factory.Start(stop)
	go func() { ended <- engine.Run(stop) }()
	defer func() {
		close(stop)
		require.NoError(t, <-ended)
		factory.Shutdown()
	}()
	m := mux.NewPathRecorderMux("test")
	engine.Install(m)
	get := func(path string) (rows [][]string) {
		w := httptest.NewRecorder()
		m.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/debug/api_priority_and_fairness/"+path, nil))
		for line := range strings.Lines(w.Body.String()) {
			if cells := strings.Split(strings.ReplaceAll(line, " ", ""), ","); cells[0] == "level" {
				rows = append(rows, cells[:5])
			}
		}
		slices.SortFunc(rows, slices.Compare) // the library does not order executing requests
		return rows
	}
	eventually.Holds(t, "the level is there", func(a *eventually.Attempt) { require.Len(a, get("dump_queues"), 8) })
	dumps := map[string][][]string{}
	execute := func() {
		for _, path := range []string{"dump_queues", "dump_requests"} {
			dumps[path] = get(path)
		}
	}
	for _, user := range []string{"alice", "bob", "carol", "alice"} {
		inner := execute
		execute = func() {
			engine.Handle(t.Context(), digestOf(user),
				func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string) {},
				func() fcrequest.WorkEstimate { return fcrequest.WorkEstimate{InitialSeats: 1} },
				func(bool) {}, inner)
		}
	}
	execute()
	return dumps
}
