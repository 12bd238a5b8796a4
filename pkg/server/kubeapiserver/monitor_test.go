package kubeapiserver

import (
	"context"
	"fmt"
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
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// front is a fake kube-apiserver. It returns 200 for paths without a configured
// answer.
type front struct {
	*httptest.Server
	clock *clocktesting.FakeClock
	log   *lines

	mu      sync.Mutex // guards the fields below
	answers map[string]answer
	ahead   time.Duration
	takes   time.Duration // to answer
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
	ahead, half := f.ahead, f.takes/2
	f.mu.Unlock()
	f.clock.Step(half)
	defer f.clock.Step(half)
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

// monitor returns a monitor of this kube-apiserver.
func (f *front) monitor(t *testing.T, trust *Trust) *Monitor {
	t.Helper()
	config := &rest.Config{Host: f.URL}
	m, err := New(Config{Authentication: config, Authorization: config, Trust: trust, Informers: f, Clock: f.clock, Log: funcr.New(f.log.add, funcr.Options{})})
	require.NoError(t, err)
	return m
}

// lines holds the lines of a log.
type lines struct{ all []string }

func (l *lines) add(_, args string) { l.all = append(l.all, args) }

func (l *lines) count(text string) int { return strings.Count(strings.Join(l.all, "\n"), text) }

// readyz returns the checks as /readyz?verbose shows them.
func readyz(m *Monitor) string {
	var lines strings.Builder
	for _, check := range m.Checks() {
		switch message := check.Message(); {
		case check.Check(nil) != nil:
			fmt.Fprintf(&lines, "[-]%s failed: %s\n", check.Name(), message)
		case message != "":
			fmt.Fprintf(&lines, "[+]%s ok, but: %s\n", check.Name(), message)
		default:
			fmt.Fprintf(&lines, "[+]%s ok\n", check.Name())
		}
	}
	return lines.String()
}

func TestALaterFailureIsLoggedOnceAndKeepsTheServerReady(t *testing.T) {
	f := newFront(t)
	m := f.monitor(t, nil)
	require.Equal(t, len(m.Checks()), strings.Count(readyz(m), "kube-apiserver has not answered yet\n"))
	require.Contains(t, readyz(m), "[-]delegated-admission failed: ")
	require.Equal(t, passedInterval, m.Round(t.Context()))
	require.Equal(t, len(m.Checks()), strings.Count(readyz(m), " ok\n"))
	f.say(accessPath, http.StatusForbidden, forbidden)
	for range 3 {
		require.Equal(t, failedInterval, m.Round(t.Context()))
	}
	require.Contains(t, readyz(m), "[+]delegated-authorization ok, but: this server is not allowed to create SubjectAccessReviews")
	require.NotContains(t, readyz(m), "u-17", "names are not for everyone")
	require.Equal(t, 1, f.log.count("this server is not allowed to create SubjectAccessReviews"))
	require.Equal(t, 1, f.log.count("u-17"))
	f.say(accessPath, http.StatusCreated, "{}")
	ended := f.log.count("Check passed")
	m.Round(t.Context())
	m.Round(t.Context())
	require.Equal(t, ended+1, f.log.count("Check passed"))
	require.Contains(t, readyz(m), "[+]delegated-authorization ok\n")
}

// A start is healthy while this server loads what kube-apiserver has: it looks again soon, and logs no
// error unless that takes two seconds.
func TestWhatIsBeingLoadedIsNoFailure(t *testing.T) {
	pem, _, err := cert.GenerateSelfSignedCertKey("ca", nil, nil)
	require.NoError(t, err)
	f := newFront(t)
	f.say(configMapPath, http.StatusOK, `{"kind": "ConfigMap", "apiVersion": "v1", "data": {"client-ca-file": "`+strings.ReplaceAll(string(pem), "\n", `\n`)+`"}}`)
	loaded := false
	m := f.monitor(t, &Trust{ClientCA: true, Knows: func(string) bool { return loaded }})
	require.Equal(t, 100*time.Millisecond, m.Round(t.Context()))
	require.Contains(t, readyz(m), "[-]delegated-authentication failed: the ConfigMap kube-system/extension-apiserver-authentication exists")
	require.Zero(t, f.log.count("Check failed"))
	loaded = true
	require.Equal(t, passedInterval, m.Round(t.Context()))
	require.Contains(t, readyz(m), "[+]delegated-authentication ok\n")
	require.Zero(t, f.log.count("Check failed"))

	loaded = false // another bundle
	require.Equal(t, 100*time.Millisecond, m.Round(t.Context()))
	f.clock.Step(2 * time.Second)
	for range 3 {
		require.Equal(t, failedInterval, m.Round(t.Context()), "it is not loaded")
	}
	require.Equal(t, 1, f.log.count("Check failed"))
	loaded = true
	require.Equal(t, passedInterval, m.Round(t.Context()))
	loaded = false
	require.Equal(t, 100*time.Millisecond, m.Round(t.Context()), "once it was loaded, the time begins again")
}

func TestEveryAnswerOfKubeAPIServerIsExplained(t *testing.T) {
	tests := []struct {
		name, path string
		code       int
		line       string
	}{
		{"invalid credentials", livezPath, 401, "[-]kube-apiserver failed: kube-apiserver rejected this server's credentials (401)"},
		{"unavailable", livezPath, 503, "[-]kube-apiserver failed: kube-apiserver returned a server error"},
		{"not live", livezPath, 500, "[+]kube-apiserver ok\n"},
		{"not live, and the other checks", livezPath, 500, "[+]delegated-authorization ok\n"},
		{"a server error", accessPath, 500, "[-]delegated-authorization failed: kube-apiserver returned a server error"},
		{"too many requests", livezPath, 429, "[-]kube-apiserver failed: kube-apiserver throttled this server's requests (429)"},
		{"no permission to read /livez", livezPath, 403, "[+]kube-apiserver ok\n"},
		{"no permission to create SubjectAccessReviews", accessPath, 403, "[-]delegated-authorization failed: this server is not allowed to create SubjectAccessReviews"},
		{"no SubjectAccessReviews", accessPath, 404, "[-]delegated-authorization failed: kube-apiserver returned an unexpected answer"},
		{"no permission to create TokenReviews", tokensPath, 403, "[+]delegated-tokens ok, but: this server is not allowed to create TokenReviews"},
		{"no permission to list policies", policiesPath, 403, "[-]delegated-admission failed: this server is not allowed to list the cluster's validatingadmissionpolicies"},
		{"informers that have not synced", namespacePath, 200, "[-]delegated-admission failed: the cluster's webhooks and policies have not been read yet"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFront(t)
			f.synced = map[reflect.Type]bool{}
			for _, kind := range admissionResources() {
				f.synced[reflect.TypeOf(kind.kind)] = !strings.HasSuffix(test.path, kind.plural)
			}
			f.say(test.path, test.code, statusBody(test.code))
			if test.code < 400 {
				f.say(test.path, test.code, "{}")
			}
			m := f.monitor(t, nil)
			m.Round(t.Context())
			require.Contains(t, readyz(m), test.line)
		})
	}
}

// statusBody returns the body of an error answer.
func statusBody(code int) string {
	return `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "` + strings.ReplaceAll(http.StatusText(code), " ", "") + `", "code": ` + strconv.Itoa(code) + `}`
}

func TestTheConfigMapIsValidAndLoaded(t *testing.T) {
	pem, _, err := cert.GenerateSelfSignedCertKey("ca", nil, nil)
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
		{"no CA bundle of client certificates", proxies, all, true, "[+]delegated-authentication ok\n"},
		{"not loaded yet", proxies, all, false, "[-]delegated-authentication failed: the ConfigMap kube-system/extension-apiserver-authentication exists, and its CA bundles have not been loaded yet"},
		{"nothing", ``, all, true, "invalid, its requestheader-client-ca-file is missing"},
		{"no name of a header", `"requestheader-client-ca-file": "` + certificate + `"`, all, true, "invalid, its requestheader-username-headers is missing"},
		{"names that are no list", proxies + `, "requestheader-allowed-names": "x"`, all, true, "invalid, its requestheader-allowed-names is not a JSON list"},
		{"an invalid CA bundle of client certificates", proxies + `, "client-ca-file": "x"`, all, true, "invalid, its client-ca-file contains no PEM"},
		{"an invalid CA bundle of the front proxy", `"requestheader-client-ca-file": "x", "requestheader-username-headers": "[]"`, all, true, "invalid, its requestheader-client-ca-file contains no PEM"},
		{"an invalid CA bundle that flags replace", `"client-ca-file": "x"`, Trust{}, false, "[+]delegated-authentication ok\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFront(t)
			f.say(configMapPath, http.StatusOK, `{"kind": "ConfigMap", "apiVersion": "v1", "data": {`+test.data+`}}`)
			test.trust.Knows = func(string) bool { return test.known }
			m := f.monitor(t, &test.trust)
			m.Round(t.Context())
			require.Contains(t, readyz(m), test.line)
		})
	}
	for code, text := range map[int]string{403: "this server is not allowed to read the ConfigMap", 404: "is missing: kube-apiserver creates it"} {
		f := newFront(t)
		f.say(configMapPath, code, statusBody(code))
		m := f.monitor(t, &all)
		m.Round(t.Context())
		require.Contains(t, readyz(m), text)
	}
}

func TestClocksMayDifferALittle(t *testing.T) {
	for _, test := range []struct {
		ahead, takes time.Duration
		text         string
	}{
		{0, 0, "[+]clock ok\n"},
		{20 * time.Second, 0, "[+]clock ok\n"},
		{-20 * time.Second, 0, "[+]clock ok\n"},
		{2 * time.Minute, 0, "[+]clock ok, but: this server's clock is 2m0s behind kube-apiserver's clock"},
		{-3 * time.Hour, 0, "[+]clock ok, but: this server's clock is 3h0m0s ahead of kube-apiserver's clock"},
		{-70 * time.Second, 2 * time.Second, "[+]clock ok, but: this server's clock is 1m10s ahead of kube-apiserver's clock"},
		{-70 * time.Second, 60 * time.Second, "[+]clock ok, but: this server's clock is 1m10s ahead of kube-apiserver's clock"},
		{50 * time.Second, 60 * time.Second, "[+]clock ok\n"}, // the answer was on its way for 0 to 60 s
	} {
		f := newFront(t)
		f.ahead, f.takes = test.ahead, test.takes
		m := f.monitor(t, nil)
		m.Round(t.Context())
		require.Contains(t, readyz(m), test.text)
	}
}

func TestRunRepeatsUntilItsContextEnds(t *testing.T) {
	f := newFront(t)
	f.say(livezPath, http.StatusServiceUnavailable, "")
	m := f.monitor(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); m.Run(ctx) }()
	eventually.Holds(t, "the first round is over", func(a *eventually.Attempt) { require.True(a, f.clock.HasWaiters()) })
	require.Equal(t, 1, f.log.count("returned a server error"))
	f.say(livezPath, http.StatusOK, "{}")
	f.clock.Step(failedInterval)
	eventually.Holds(t, "the second round is over", func(a *eventually.Attempt) {
		require.Empty(a, m.Checks()[0].Message())
		require.True(a, f.clock.HasWaiters())
	})
	cancel()
	<-done
}
