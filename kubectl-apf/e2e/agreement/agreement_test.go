package agreement_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/e2e/lines"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/explain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/requests"
)

// stored are the objects in the store of kube-apiserver. Lists of them take between 1 and
// 10 seats.
func stored() map[string]int { return map[string]int{"configmaps": 450, "secrets": 1250} }

func TestKubeAPIServerDoesWhatIsExplained(t *testing.T) { testKubeAPIServer(t, "") }

func testKubeAPIServer(t *testing.T, program string) {
	t.Helper()
	etcd := harness.StartEtcd(t, harness.EtcdOptions{})
	fill(t, etcd)
	server := harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{Etcd: etcd, Program: program, Args: []string{"-v=3"}})
	agree(t, &server.APIServer, false, stored()).requireHands(t)
	requireRights(t, &server.APIServer)
}

func TestThisServerDoesWhatIsExplained(t *testing.T) {
	server := harness.StartServer(t, harness.ServerOptions{Args: []string{"-v=3", "--etcd-count-metric-poll-period=200ms"}})
	agree(t, &server.APIServer, true, nil)
	agreeOnLists(t, &server.APIServer)
}

// fill stores objects before a server starts, which counts them then, and each minute.
func fill(t *testing.T, etcd *harness.Etcd) {
	t.Helper()
	client := etcd.Client(t)
	kinds := map[string]string{"configmaps": "ConfigMap", "secrets": "Secret"}
	for resource, count := range stored() {
		for i := range count {
			name := fmt.Sprint("filler-", i)
			_, err := client.Put(t.Context(), "/registry/"+resource+"/default/"+name,
				`{"apiVersion":"v1","kind":"`+kinds[resource]+`","metadata":{"name":"`+name+`","namespace":"default","uid":"`+name+`"}}`)
			require.NoError(t, err)
		}
	}
}

// agree sends random requests, each explained before, and compares.
func agree(t *testing.T, server *harness.APIServer, own bool, stored map[string]int) *site {
	t.Helper()
	random := rand.New(rand.NewPCG(lane.Seed(t), 53))
	s := newSite(t, server, own, stored, random)
	chosen, expected := map[string]int{}, map[string]seats{}
	for range lane.Pick(40, 125) {
		batch := s.explainSome(t, random, 40)
		headers := make([]http.Header, len(batch))
		var sending errgroup.Group
		sending.SetLimit(8)
		for i := range batch {
			sending.Go(func() (err error) {
				headers[i], err = s.send(t.Context(), batch[i].Request)
				return err
			})
		}
		require.NoError(t, sending.Wait())
		for i, answer := range batch {
			requireExplained(t, answer, headers[i])
			chosen[answer.FlowSchema.Name]++
			if answer.Bypass == "" {
				expected[headers[i].Get(auditinternal.HeaderAuditID)] = seats{answer.Request, answer.Seats.Initial}
			}
		}
	}
	assert.Greater(t, len(chosen), 20, "the requests are spread over many flow schemas")
	requireSeats(t, server, expected)
	return s
}

// seats are the seats that a request is expected to hold.
type seats struct {
	request explain.Attributes
	initial int
}

// explainSome explains n random requests.
func (s *site) explainSome(t *testing.T, random *rand.Rand, n int) []explain.Answer {
	t.Helper()
	answers := make([]explain.Answer, 0, n)
	for len(answers) < n {
		line := requests.Line(random)
		if random.IntN(3) == 0 {
			line = requests.List(random)
		}
		request, err := lines.Parse(line)
		require.NoError(t, err, line)
		answer, err := s.explainer.Explain(request)
		require.NoError(t, err, line)
		// DELETE makes kube-apiserver forget its metrics, so that it counts its objects
		// again only a minute later.
		if answer.Request.Method != http.MethodDelete || answer.Request.URL != "/metrics" {
			answers = append(answers, answer)
		}
	}
	return answers
}

// requireExplained compares the headers of a response with the answer.
func requireExplained(t *testing.T, answer explain.Answer, header http.Header) {
	t.Helper()
	schema, level := answer.FlowSchema.UID, answer.PriorityLevel.UID
	if answer.Bypass != "" {
		schema, level = "", ""
	}
	require.Equal(t, schema, header.Get(flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID), "flow schema of %+v", answer.Request)
	require.Equal(t, level, header.Get(flowcontrolv1.ResponseHeaderMatchedPriorityLevelConfigurationUID), "priority level of %+v", answer.Request)
}

// logged is a line of the log of requests.
var logged = regexp.MustCompile(`"HTTP".* audit-ID="([^"]+)".* apf_iseats=(\d+)`)

// requireSeats compares the seats in the server's log.
func requireSeats(t *testing.T, server *harness.APIServer, expected map[string]seats) {
	t.Helper()
	var wide map[int]int
	eventually.Holds(t, "each request is in the log", func(a *eventually.Attempt) {
		found := 0
		wide = map[int]int{}
		for _, line := range logged.FindAllStringSubmatch(server.Process.Output(), -1) {
			want, sent := expected[line[1]]
			if !sent {
				continue
			}
			got, err := strconv.Atoi(line[2])
			require.NoError(a, err)
			assert.Equal(a, want.initial, got, "seats of %+v", want.request)
			found++
			wide[got]++
		}
		require.Len(a, expected, found)
	})
	t.Logf("requests by seats: %v", wide)
}
