package agreement_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/client-go/kubernetes"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/e2e/lines"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/record"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// lister may not list anything. So its lists take the seats of lists that the server has
// not measured, as explain and simulate assume.
const lister = "lister"

// listLines are lists of large flow schemas whose seats differ.
func listLines() []string {
	const list = "list flowschemas.flowcontrol.apiserver.k8s.io --as=" + lister
	return []string{
		list,
		list + " --limit=25",
		list + " --resource-version=0 --limit=25",
		list + " --resource-version=1 --limit=25",
		list + " --selector=a=b --limit=25 --continue=x",
		list + " --field-selector=metadata.name=large-1",
		"list prioritylevelconfigurations.flowcontrol.apiserver.k8s.io --as=" + lister,
	}
}

// agreeOnLists sends lists to this server and compares three answers about their seats: the
// server's log, explain, and a simulation of the log without its seats.
func agreeOnLists(t *testing.T, server *harness.APIServer) {
	t.Helper()
	s := connect(t, server, true, nil)
	from, _ := s.read(t)
	stored := s.storeLarge(t, from)
	_, s.explainer = s.read(t)
	present, err := from.Configuration(t.Context())
	require.NoError(t, err)
	expected := map[string]seats{}
	for _, line := range listLines() {
		request, err := lines.Parse(line)
		require.NoError(t, err)
		answer, err := s.explainer.Explain(request)
		require.NoError(t, err)
		header, err := s.send(t.Context(), answer.Request)
		require.NoError(t, err)
		expected[header.Get(auditinternal.HeaderAuditID)] = seats{answer.Request, answer.Seats.Initial}
	}
	requireSeats(t, server, expected)

	widths := map[uint64]bool{}
	lists := loggedLists(t, server)
	require.Len(t, lists, len(expected))
	for _, list := range lists {
		widths[list.Seats.Initial] = true
		assert.EqualValues(t, list.Seats.Initial, simulatedSeats(t, list, stored, present), "simulated seats of %+v %+v", list, list.List)
	}
	assert.Greater(t, len(widths), 3, "seats differ: %v", widths)
}

// storeLarge stores large flow schemas, and waits until the server knows their number and size,
// which it returns with other types'.
func (s *site) storeLarge(t *testing.T, from source.Source) (stored map[string]trace.Stored) {
	t.Helper()
	const large = 40
	client, err := kubernetes.NewForConfig(s.Config(t))
	require.NoError(t, err)
	for i := range large {
		one := &flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprint("large-", i), Annotations: map[string]string{"example.com/text": strings.Repeat("x", 18_000)},
		}}
		one.Spec.PriorityLevelConfiguration.Name, one.Spec.MatchingPrecedence = "global-default", 9_500
		_, err := client.FlowcontrolV1().FlowSchemas().Create(t.Context(), one, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	schemas, err := client.FlowcontrolV1().FlowSchemas().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	eventually.Holds(t, "the server has counted and measured the large flow schemas", func(a *eventually.Attempt) {
		replicas, err := from.Replicas(a.Context(), source.Want{Metrics: true})
		require.NoError(a, err)
		metrics := replicas[0].Metrics
		kind := schema.GroupResource{Group: "flowcontrol.apiserver.k8s.io", Resource: "flowschemas"}
		require.Equal(a, int64(len(schemas.Items)), metrics.Objects[kind])
		require.Greater(a, metrics.Bytes[kind], int64(large*18_000))
		stored = map[string]trace.Stored{}
		for resource, objects := range metrics.Objects {
			stored[resource.String()] = trace.Stored{Objects: objects, Bytes: metrics.Bytes[resource] / max(objects, 1)}
		}
	})
	return stored
}

// loggedLists returns the lists in the server's log, in the form of a trace.
func loggedLists(t *testing.T, server *harness.APIServer) (lists []trace.Request) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "server.log")
	require.NoError(t, os.WriteFile(name, []byte(server.Process.Output()), 0o600))
	recording, err := record.New(t.Context(), record.Options{
		HTTP: []record.Log{{Path: name}}, Clock: logs.Clock{Latest: time.Now(), Zone: time.Local},
	})
	require.NoError(t, err)
	defer recording.Close()
	require.NoError(t, recording.Each(t.Context(), func(r *trace.Request) error {
		if r.User == lister {
			lists = append(lists, *r)
		}
		return nil
	}))
	return lists
}

// simulatedSeats returns the seats of a list of a trace without seats.
func simulatedSeats(t *testing.T, list trace.Request, stored map[string]trace.Stored, c configuration.Configuration) int {
	t.Helper()
	list.Seats, list.Execution, list.Wait, list.Latency = nil, &metav1.Duration{Duration: time.Second}, nil, nil
	report, err := simulate.Run(t.Context(), simulate.Options{
		Engine: simulate.APF,
		Open:   func() (simulate.Source, error) { return &oneRequest{list: &list, stored: stored}, nil },
	}, simulate.Candidate{Name: "this server", Configuration: c})
	require.NoError(t, err)
	return int(report.Results[0].SeatSeconds + 0.5)
}

// oneRequest is a trace of one list.
type oneRequest struct {
	list   *trace.Request // nil after it was read
	stored map[string]trace.Stored
}

func (o *oneRequest) Read(into *trace.Request) error {
	if o.list == nil {
		return io.EOF
	}
	*into, o.list = *o.list, nil
	return nil
}

func (o *oneRequest) Header() trace.Header {
	return trace.Header{Source: trace.SourceHTTP, Requests: 1, Stored: o.stored}
}

func (*oneRequest) Close() error { return nil }
