package main

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

// takes is the mean time of a request. So 20 seats serve 100 requests a second, a third of the rate.
const takes, rate = 200 * time.Millisecond, 300

func planOf() plan {
	p := plan{rate: rate, probe: "/livez", late: 2 * time.Second, lease: renewalIn("exam")}
	p.complete("/api/v1/namespaces/exam/configmaps/small")
	return p
}

// sit takes an exam of a handler, and returns the report and the marks by question.
func sit(t *testing.T, server http.Handler) (report, map[string]mark) {
	t.Helper()
	p := planOf()
	taken, err := p.take(t.Context(), traffic.TargetIn(server), func(string) {})
	require.NoError(t, err)
	<-time.After(time.Minute) // handlers whose clients have left end
	r := reportOf("handler", p, taken)
	t.Log("\n" + r.table())
	return r, r.marks()
}

// sitEngine takes an exam of an engine.
func sitEngine(t *testing.T, engine traffic.Engine) (marks map[string]mark) {
	t.Helper()
	traffic.RunEngine(t, engine, traffic.NewWork(takes, 1), func(t *testing.T, server http.Handler) { _, marks = sit(t, server) })
	return marks
}

// sitWork takes an exam of a server without an engine.
func sitWork(t *testing.T, serve func() http.Handler) (r report, marks map[string]mark) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { r, marks = sit(t, traffic.Identified(serve())) })
	return r, marks
}

// TestEnginesHaveTheirMarks takes the exam with each engine. No engine tells 600 new names at once from mice, which ask
// for as little each.
func TestEnginesHaveTheirMarks(t *testing.T) {
	ours := map[string]mark{
		besideText(oneElephant): good, besideText(elephants30): good, besideText(elephants150): good,
		besideText(freshNames): failed, besideText(wideLists): good, besideText(leavers): good,
		tenantNames: weak, burstText: good, obeyText: good, leaseText: good,
	}
	for engine, tenants := range map[traffic.Engine]mark{traffic.WithTenants: good, traffic.Ours: weak} {
		t.Run(string(engine), func(t *testing.T) {
			expected := ours
			expected[tenantNames] = tenants
			marks := sitEngine(t, engine)
			assert.Equal(t, expected, marks)
		})
	}
	t.Run(string(traffic.Library), func(t *testing.T) {
		marks := sitEngine(t, traffic.Library)
		assert.Equal(t, good, marks[besideText(oneElephant)])
		assert.Equal(t, failed, marks[besideText(elephants30)], "their hands cover the queues of the mice")
	})
}

// places is a server with a limit that serves in the order of arrival.
func places(count int, work http.Handler) http.Handler {
	free := make(chan struct{}, count)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		free <- struct{}{}
		defer func() { <-free }()
		work.ServeHTTP(w, r)
	})
}

func TestAServerWithoutFairnessIsMarkedDown(t *testing.T) {
	r, marks := sitWork(t, func() http.Handler { return places(traffic.Seats, traffic.NewWork(takes, 1)) })
	assert.False(t, r.passed())
	for _, name := range []string{oneElephant, elephants30, elephants150} {
		assert.Equal(t, failed, marks[besideText(name)], name)
	}
	assert.Equal(t, weak, marks[burstText])
}

// shared is a server without limits, whose requests share processors.
type shared struct {
	mu      sync.Mutex // guards running
	running int
}

// ServeHTTP executes a request in steps, each longer the more requests run.
func (s *shared) ServeHTTP(http.ResponseWriter, *http.Request) {
	const steps = 10
	s.add(1)
	defer s.add(-1)
	for range steps {
		<-time.After(takes / steps * time.Duration(max(s.add(0), traffic.Seats)) / traffic.Seats)
	}
}

func (s *shared) add(count int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running += count
	return s.running
}

func TestAServerWithoutLimitsIsMarkedDown(t *testing.T) {
	r, marks := sitWork(t, func() http.Handler { return &shared{} })
	assert.False(t, r.passed())
	for _, name := range []string{oneElephant, elephants30, elephants150} {
		assert.NotEqual(t, good, marks[besideText(name)], name)
	}
}

// rejecting is a server that rejects what exceeds its limit, with these headers.
func rejecting(count int, work http.Handler, header http.Header) http.Handler {
	free := make(chan struct{}, count)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case free <- struct{}{}:
			defer func() { <-free }()
			work.ServeHTTP(w, r)
		default:
			maps.Copy(w.Header(), header)
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})
}

func TestAServerThatRejectsWithoutRetryAfterIsMarkedDown(t *testing.T) {
	for _, c := range []struct {
		header http.Header
		mark   mark
	}{{http.Header{"Retry-After": {"1"}}, good}, {nil, failed}} {
		_, marks := sitWork(t, func() http.Handler { return rejecting(traffic.Seats, traffic.NewWork(takes, 1), c.header) })
		assert.Equal(t, c.mark, marks[obeyText])
		assert.Equal(t, failed, marks[besideText(elephants30)], "mice are rejected too")
	}
}

func TestAServerThatIsNotBusyPassesNothing(t *testing.T) {
	r, marks := sitWork(t, func() http.Handler {
		return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-time.After(time.Millisecond) })
	})
	assert.False(t, r.passed())
	for question, mark := range marks {
		assert.Equal(t, notLoaded, mark, question)
	}
}

// TestTheRateIsNeverExceeded counts the requests within each second, on a server that answers at once.
func TestTheRateIsNeverExceeded(t *testing.T) {
	var mu sync.Mutex // guards sent
	var sent []time.Time
	sitWork(t, func() http.Handler {
		return rejecting(1, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			sent = append(sent, time.Now())
		}), nil)
	})
	slices.SortFunc(sent, time.Time.Compare)
	most, from := 0, 0
	for to, at := range sent {
		for at.Sub(sent[from]) >= time.Second {
			from++
		}
		most = max(most, to-from+1)
	}
	assert.LessOrEqual(t, most, rate)
	assert.Greater(t, most, rate*9/10, "the rate is used")
}

func TestTheExamStopsWhenAProbeIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		work := traffic.NewWork(takes, 1)
		server := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/livez" && time.Since(began) > 20*time.Second {
				<-time.After(3 * time.Second)
			}
			traffic.Identified(work).ServeHTTP(w, r)
		})
		r, marks := sit(t, server)
		assert.Less(t, time.Since(began), 25*time.Second+time.Minute)
		assert.False(t, r.passed())
		assert.Contains(t, r.Stopped, "30 elephants: the probe /livez got no answer within 2s")
		assert.NotEqual(t, stopped, marks[besideText(oneElephant)], "it was played to its end")
		for _, name := range []string{elephants30, elephants150, freshNames, wideLists, leavers} {
			assert.Equal(t, stopped, marks[besideText(name)], name)
		}
	})
}

func TestAUserWithoutPermissionIsNamed(t *testing.T) {
	p := planOf()
	_, err := p.take(t.Context(), traffic.TargetIn(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Impersonate-User") != "" {
			w.WriteHeader(http.StatusForbidden)
		}
	})), func(string) {})
	require.ErrorContains(t, err, "apf-exam-mouse-0 cannot read /api/v1/namespaces/exam/configmaps/small: status 403")
}

func TestOnlyAServerOnLoopbackIsExaminedUnasked(t *testing.T) {
	for _, host := range []string{"https://127.0.0.1:6443", "https://[::1]:6443", "https://localhost:6443"} {
		require.NoError(t, guard(host, false), host)
	}
	for _, host := range []string{"https://10.0.0.1:6443", "https://kubernetes.example", "https://127.0.0.1.example"} {
		require.ErrorContains(t, guard(host, false), "pass --i-own-this-cluster", host)
		require.NoError(t, guard(host, true), host)
	}
}

func TestWhatIsReadDoesNotDependOnTheOrderOfDiscovery(t *testing.T) {
	both := metav1.Verbs{"get", "list"}
	things := &metav1.APIResourceList{GroupVersion: "example.com/v1", APIResources: []metav1.APIResource{
		{Name: "things", Verbs: both}, {Name: "others", Verbs: both}, {Name: "reviews", Verbs: metav1.Verbs{"create"}}, {Name: "inside", Namespaced: true, Verbs: both},
	}}
	nodes := &metav1.APIResourceList{GroupVersion: "v1", APIResources: []metav1.APIResource{{Name: "nodes", Verbs: both}}}
	expected := []string{"/api/v1/nodes", "/apis/example.com/v1/others", "/apis/example.com/v1/things"}
	assert.Equal(t, expected, collections([]*metav1.APIResourceList{things, nodes}))
	assert.Equal(t, expected, collections([]*metav1.APIResourceList{nodes, things}))
}

func TestTheReportIsATableJSONAndAPicture(t *testing.T) {
	p99 := 0.25
	r := report{Server: "https://127.0.0.1", Rate: 300, QuietP99: 0.1, Answers: []answer{
		{Question: "first", Mark: good, Measured: "1 < 2", P99: &p99}, {Question: "second", Mark: notOffered},
	}}
	assert.Contains(t, r.table(), "| first | good | 1 < 2 |\n")
	assert.Contains(t, r.table(), "1 good, 1 not offered")
	other := report{Server: "other", Answers: []answer{{Mark: failed, Measured: "p99 1s; x"}, {Mark: weak}}}
	assert.Equal(t, "| question | https://127.0.0.1 | other |\n|---|---|---|\n| first | **good**, 1 < 2 | **failed**, p99 1s |\n"+
		"| second | **not offered**,  | **weak**,  |\n| all | 1 good, 1 not offered | 1 weak, 1 failed |\n", compared([]report{r, other}))
	assert.True(t, r.passed())
	dir := t.TempDir()
	require.NoError(t, r.writeJSON(filepath.Join(dir, "exam.json")))
	content, err := os.ReadFile(filepath.Join(dir, "exam.json"))
	require.NoError(t, err)
	var read report
	require.NoError(t, json.Unmarshal(content, &read))
	assert.Equal(t, r, read)
	require.NoError(t, r.draw(filepath.Join(dir, "exam.svg")))
	drawn, err := os.ReadFile(filepath.Join(dir, "exam.svg"))
	require.NoError(t, err)
	assert.Contains(t, string(drawn), "250ms")
}

func TestOptionsNeedAKubeconfig(t *testing.T) {
	status, err := options{}.run(context.Background())
	assert.Equal(t, exitUnable, status)
	assert.ErrorContains(t, err, "-kubeconfig or KUBECONFIG is required")
}
