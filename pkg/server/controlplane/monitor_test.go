package controlplane

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/readiness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/eventually"
)

// front is a kube-apiserver of a few paths: what is not there is answered 200.
type front struct {
	*httptest.Server
	clock *clocktesting.FakeClock
	log   *lines

	mu      sync.Mutex // guards what follows
	answers map[string]answer
	ahead   time.Duration
	synced  map[reflect.Type]bool
}

type answer struct {
	code int
	body string
}

const (
	livezPath     = "/livez"
	configMapPath = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication"
	tokensPath    = "/apis/authentication.k8s.io/v1/tokenreviews"
	accessPath    = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
	policiesPath  = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
	namespacePath = "/api/v1/namespaces"

	forbidden = `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "message": "not for u-17", "code": 403}`
)

func newFront(t *testing.T) *front {
	t.Helper()
	f := &front{clock: clocktesting.NewFakeClock(time.Now()), log: &lines{}, answers: map[string]answer{}}
	f.say(configMapPath, http.StatusOK, `{"kind": "ConfigMap", "apiVersion": "v1", "data": {
		"requestheader-client-ca-file": "", "requestheader-username-headers": "[\"X-Remote-User\"]"}}`)
	f.say(tokensPath, http.StatusBadRequest, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "BadRequest", "code": 400}`)
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *front) say(path string, code int, body string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[path] = answer{code, body}
}

func (f *front) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	f.mu.Lock()
	said, ok := f.answers[request.URL.Path]
	ahead := f.ahead
	f.mu.Unlock()
	if !ok {
		said = answer{http.StatusOK, "{}"}
	}
	w.Header().Set("Date", f.clock.Now().Add(ahead).UTC().Format(http.TimeFormat))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(said.code)
	_, _ = w.Write([]byte(said.body))
}

// WaitForCacheSync implements Informers.
func (f *front) WaitForCacheSync(stop <-chan struct{}) map[reflect.Type]bool {
	<-stop
	return f.synced
}

// monitor returns one that trusts no front proxy, or what knows says.
func (f *front) monitor(t *testing.T, trust *Trust) *Monitor {
	t.Helper()
	config := &rest.Config{Host: f.URL}
	m, err := New(Config{Authentication: config, Authorization: config, Trust: trust, Informers: f, Clock: f.clock, Log: funcr.New(f.log.add, funcr.Options{})})
	require.NoError(t, err)
	return m
}

// lines are those of a log.
type lines struct{ all []string }

func (l *lines) add(_, args string) { l.all = append(l.all, args) }

func (l *lines) count(text string) int { return strings.Count(strings.Join(l.all, "\n"), text) }

// readyz asks for the checks as a server serves them.
func readyz(t *testing.T, m *Monitor) string {
	t.Helper()
	mux := http.NewServeMux()
	checks := []healthz.HealthChecker{healthz.NamedCheck("other", func(*http.Request) error { return errors.New("secret") })}
	for _, check := range m.Checks() {
		checks = append(checks, check)
	}
	healthz.InstallReadyzHandler(mux, checks...)
	recorder := httptest.NewRecorder()
	readiness.Explain(mux, m.Remarks()).ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz?verbose", nil))
	require.Equal(t, http.StatusInternalServerError, recorder.Code)
	require.Contains(t, recorder.Body.String(), "[-]other failed: reason withheld\n")
	return recorder.Body.String()
}

func TestNothingIsReadyBeforeTheFirstAnswer(t *testing.T) {
	m := newFront(t).monitor(t, nil)
	for _, name := range []string{"kube-apiserver", "delegated-authorization", "delegated-admission"} {
		require.Contains(t, readyz(t, m), "[-]"+name+" failed: kube-apiserver has not answered yet\n")
	}
}

func TestAllIsWellWithWhatKubeAPIServerUsuallyAnswers(t *testing.T) {
	f := newFront(t)
	m := f.monitor(t, nil)
	require.Equal(t, quietInterval, m.Round(t.Context()))
	require.NotContains(t, readyz(t, m), "but:")
	require.Equal(t, 1, strings.Count(readyz(t, m), "[-]"), readyz(t, m))
}

func TestWhatIsLostLaterIsSaidOnceAndKeepsTheServerReady(t *testing.T) {
	f := newFront(t)
	m := f.monitor(t, nil)
	m.Round(t.Context())
	f.say(accessPath, http.StatusForbidden, forbidden)
	for range 3 {
		require.Equal(t, troubledInterval, m.Round(t.Context()))
	}
	require.Contains(t, readyz(t, m), "[+]delegated-authorization ok, but: we may not ask what users may do")
	require.NotContains(t, readyz(t, m), "u-17", "names are not for everyone")
	require.Equal(t, 1, f.log.count("we may not ask what users may do"))
	require.Equal(t, 1, f.log.count("u-17"))
	f.say(accessPath, http.StatusCreated, "{}")
	ended := f.log.count("Nothing is missing any more")
	m.Round(t.Context())
	m.Round(t.Context())
	require.Equal(t, ended+1, f.log.count("Nothing is missing any more"))
	require.Contains(t, readyz(t, m), "[+]delegated-authorization ok\n")
}

func TestWhatKubeAPIServerSaysIsExplained(t *testing.T) {
	tests := []struct {
		name, path string
		code       int
		line       string
	}{
		{"credentials that do not hold", livezPath, 401, "[-]kube-apiserver failed: it does not accept our credentials (401)"},
		{"that it is away", livezPath, 503, "[-]kube-apiserver failed: it has troubles of its own"},
		{"that it is not live", livezPath, 500, "[+]kube-apiserver ok\n"},
		{"that it is not live, and all else", livezPath, 500, "[+]delegated-authorization ok\n"},
		{"troubles of its own", accessPath, 500, "[-]delegated-authorization failed: it has troubles of its own"},
		{"too many requests", livezPath, 429, "[-]kube-apiserver failed: it has no room for our questions (429)"},
		{"health that is not for everyone", livezPath, 403, "[+]kube-apiserver ok\n"},
		{"no right to review permissions", accessPath, 403, "[-]delegated-authorization failed: we may not ask what users may do"},
		{"reviews that are not served", accessPath, 404, "[-]delegated-authorization failed: kube-apiserver gives an answer that was not expected"},
		{"no right to review tokens", tokensPath, 403, "[+]delegated-tokens ok, but: we may not ask who the bearer of a token is"},
		{"no right to read policies", policiesPath, 403, "[-]delegated-admission failed: we may not list the cluster's validatingadmissionpolicies"},
		{"informers that have not read", namespacePath, 200, "[-]delegated-admission failed: the cluster's webhooks and policies are being read"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFront(t)
			f.synced = map[reflect.Type]bool{}
			for _, kind := range followedKinds() {
				f.synced[reflect.TypeOf(kind.kind)] = !strings.HasSuffix(test.path, kind.resource)
			}
			f.say(test.path, test.code, failure(test.code))
			if test.code < 400 {
				f.say(test.path, test.code, "{}")
			}
			m := f.monitor(t, nil)
			m.Round(t.Context())
			require.Contains(t, readyz(t, m), test.line)
		})
	}
}

// failure is the body of an answer that says no.
func failure(code int) string {
	return `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "` + strings.ReplaceAll(http.StatusText(code), " ", "") + `", "code": ` + strconv.Itoa(code) + `}`
}

func TestTrustIsWhatTheConfigMapSaysAndTheServerKnows(t *testing.T) {
	pem, _, err := cert.GenerateSelfSignedCertKey("authority", nil, nil)
	require.NoError(t, err)
	certificate := strings.ReplaceAll(string(pem), "\n", `\n`)
	proxies := `"requestheader-client-ca-file": "` + certificate + `", "requestheader-username-headers": "[\"X-Remote-User\"]"`
	all := Trust{ClientCA: true, FrontProxy: true}
	for _, test := range []struct {
		name, data string
		trust      Trust
		known      bool
		line       string
	}{
		{"all", proxies + `, "client-ca-file": "` + certificate + `"`, all, true, "[+]delegated-authentication ok\n"},
		{"no authority of users", proxies, all, true, "[+]delegated-authentication ok\n"},
		{"not taken over yet", proxies, all, false, "[-]delegated-authentication failed: the ConfigMap kube-system/extension-apiserver-authentication is there, and is being"},
		{"nothing", ``, all, true, "broken, its requestheader-client-ca-file is missing"},
		{"no name of a header", `"requestheader-client-ca-file": "` + certificate + `"`, all, true, "broken, its requestheader-username-headers is missing"},
		{"names that are no list", proxies + `, "requestheader-allowed-names": "x"`, all, true, "broken, its requestheader-allowed-names is not a JSON list"},
		{"nonsense for users", proxies + `, "client-ca-file": "x"`, all, true, "broken, its client-ca-file holds no PEM"},
		{"nonsense for a proxy", `"requestheader-client-ca-file": "x", "requestheader-username-headers": "[]"`, all, true, "broken, its requestheader-client-ca-file holds no PEM"},
		{"nonsense that flags stand in for", `"client-ca-file": "x"`, Trust{}, false, "[+]delegated-authentication ok\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFront(t)
			f.say(configMapPath, http.StatusOK, `{"kind": "ConfigMap", "apiVersion": "v1", "data": {`+test.data+`}}`)
			test.trust.Knows = func(string) bool { return test.known }
			m := f.monitor(t, &test.trust)
			m.Round(t.Context())
			require.Contains(t, readyz(t, m), test.line)
		})
	}
	for code, text := range map[int]string{403: "we may not read the ConfigMap", 404: "is missing: kube-apiserver makes it"} {
		f := newFront(t)
		f.say(configMapPath, code, failure(code))
		m := f.monitor(t, &all)
		m.Round(t.Context())
		require.Contains(t, readyz(t, m), text)
	}
}

func TestClocksMayDifferALittle(t *testing.T) {
	for ahead, text := range map[time.Duration]string{
		0:                 "[+]clock ok\n",
		20 * time.Second:  "[+]clock ok\n",
		-20 * time.Second: "[+]clock ok\n",
		2 * time.Minute:   "[+]clock ok, but: our clock is 2m0s behind that of kube-apiserver",
		-3 * time.Hour:    "[+]clock ok, but: our clock is 3h0m0s ahead of that of kube-apiserver",
	} {
		f := newFront(t)
		f.ahead = ahead
		m := f.monitor(t, nil)
		m.Round(t.Context())
		require.Contains(t, readyz(t, m), text)
	}
}

func TestAskingGoesOnUntilTheEnd(t *testing.T) {
	f := newFront(t)
	f.say(livezPath, http.StatusServiceUnavailable, "")
	m := f.monitor(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); m.Run(ctx) }()
	eventually.Holds(t, "the first round is over", func(a *eventually.Attempt) { require.True(a, f.clock.HasWaiters()) })
	require.Equal(t, 1, f.log.count("troubles of its own"))
	f.say(livezPath, http.StatusOK, "{}")
	f.clock.Step(troubledInterval)
	eventually.Holds(t, "the second round is over", func(a *eventually.Attempt) {
		require.Empty(a, m.Checks()[0].text())
		require.True(a, f.clock.HasWaiters())
	})
	cancel()
	<-done
}
