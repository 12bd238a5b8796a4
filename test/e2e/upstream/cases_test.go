package upstream

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const unreachable = "it cannot be reached: see that it runs, and that the kubeconfig has its address"

// testAway starts a server without its kube-apiserver.
func testAway(t *testing.T, s *site) {
	server := s.launch(t, "away", rights)
	admin := "Authorization: Bearer " + s.kube.Config(t).BearerToken
	server.waitReadiness(t, http.StatusInternalServerError, says("kube-apiserver", unreachable), says("delegated-authorization", "kube-apiserver has not answered yet"))
	server.waitLive(t) // a restart would not help
	for name, headers := range map[string][]string{
		"nobody":                 nil,
		"one who names himself":  {"X-Remote-User: admin", "X-Remote-Group: system:masters"},
		"one whom nobody knows":  {admin},
		"one with another token": {"Authorization: Bearer unheard"},
	} {
		require.NotEqual(t, http.StatusOK, server.await(t, patience, objectsPath+"?timeout=2s", headers...).code, name)
	}

	server.gate.open(t)
	server.waitReadiness(t, http.StatusOK, passes("kube-apiserver"), passes("delegated-authentication"), passes("delegated-admission"))
	require.Equal(t, http.StatusOK, server.mustGet(t, objectsPath, admin).code)
	// Another check may say so too, if kube-apiserver goes while it is asked.
	const said = `check="kube-apiserver" what="` + unreachable
	server.requireSaidOnce(t, said)
	server.requireSaidOnce(t, `"Nothing is missing any more" logger="upstream" check="kube-apiserver"`)

	server.gate.close()
	server.waitReadiness(t, http.StatusOK, remarks("kube-apiserver", unreachable))
	require.Equal(t, http.StatusOK, server.mustGet(t, "/livez").code)
	server.gate.open(t)
	server.waitReadiness(t, http.StatusOK, passes("kube-apiserver"))
	require.Equal(t, 2, strings.Count(server.Process.Output(), said), "it is said when it begins")
}

// testRights gives a server one right after another.
func testRights(t *testing.T, s *site) {
	server := s.launch(t, "rights", nil)
	server.gate.open(t)
	server.waitReadiness(t, http.StatusInternalServerError,
		passes("kube-apiserver"),
		says("delegated-authentication", "we may not read the ConfigMap kube-system/extension-apiserver-authentication: bind the Role kube-system/extension-apiserver-authentication-reader to our user"),
		remarks("delegated-tokens", "we may not ask who the bearer of a token is: bind the ClusterRole system:auth-delegator to our user"),
		says("delegated-authorization", "we may not ask what users may do, so that all requests are refused: bind the ClusterRole system:auth-delegator to our user"),
		says("delegated-admission", "we may not list the cluster's "),
	)
	require.Contains(t, server.Process.Output(), `User \"system:serviceaccount:default:rights\" cannot create resource \"subjectaccessreviews\"`)
	require.Equal(t, http.StatusOK, server.mustGet(t, "/livez").code)

	s.grant(t, "rights", "authentication-reader")
	server.waitReadiness(t, http.StatusInternalServerError, passes("delegated-authentication"), "[-]delegated-authorization")
	s.grant(t, "rights", "auth-delegator")
	server.waitReadiness(t, http.StatusInternalServerError, passes("delegated-authorization"), passes("delegated-tokens"), "[-]delegated-admission")
	s.grant(t, "rights", "admission")
	server.waitReadiness(t, http.StatusOK, passes("delegated-admission"))
	server.requireSaidOnce(t, "we may not read the ConfigMap")
}

// testTrust has the ConfigMap of authorities missing and broken, at the start and
// later.
func testTrust(t *testing.T, s *site) {
	server := s.launch(t, "trust", rights)
	missing := server.gate.tell(nil)
	server.gate.open(t)
	server.waitReadiness(t, http.StatusInternalServerError, says("delegated-authentication", "the ConfigMap kube-system/extension-apiserver-authentication is missing"), passes("delegated-authorization"))
	broken := server.gate.tell(map[string]string{
		"requestheader-client-ca-file":   "nonsense",
		"requestheader-username-headers": `["X-Remote-User"]`,
	})
	missing()
	server.waitReadiness(t, http.StatusInternalServerError, says("delegated-authentication", "the ConfigMap kube-system/extension-apiserver-authentication is broken, its requestheader-client-ca-file holds no PEM certificates"))
	broken()
	server.waitReadiness(t, http.StatusOK, passes("delegated-authentication"))
	admin := s.frontProxy(t)
	require.Equal(t, http.StatusOK, server.asFrontProxy(t, admin).code)

	// What it learnt is kept.
	broken = server.gate.tell(map[string]string{"requestheader-client-ca-file": "nonsense", "requestheader-username-headers": "{"})
	server.waitReadiness(t, http.StatusOK, remarks("delegated-authentication", "the ConfigMap kube-system/extension-apiserver-authentication is broken, its requestheader-username-headers is not a JSON list of texts"))
	require.Equal(t, http.StatusOK, server.asFrontProxy(t, admin).code)
	broken()
	server.waitReadiness(t, http.StatusOK, passes("delegated-authentication"))
}

// frontProxy is a certificate like that with which kube-apiserver passes
// requests on.
func (s *site) frontProxy(t *testing.T) tls.Certificate {
	t.Helper()
	pair := s.kube.FrontProxyCA.Client(t, "front-proxy-client")
	certificate, err := tls.LoadX509KeyPair(pair.CertFile, pair.KeyFile)
	require.NoError(t, err)
	return certificate
}

// asFrontProxy asks for objects as an administrator who came through the front
// proxy.
func (s *server) asFrontProxy(t *testing.T, certificate tls.Certificate) answer {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{certificate}}}}
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+objectsPath, nil)
	require.NoError(t, err)
	request.Header.Set("X-Remote-User", "admin")
	request.Header.Set("X-Remote-Group", "system:masters")
	response, err := client.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return answer{code: response.StatusCode}
}

// testSlow has a kube-apiserver that takes requests and does not answer.
func testSlow(t *testing.T, s *site) {
	const limit = 4 * time.Second
	server := s.launch(t, "slow", rights, "--request-timeout="+limit.String())
	release := server.gate.hold()
	server.gate.open(t)
	server.waitReadiness(t, http.StatusInternalServerError, says("kube-apiserver", "it does not answer in time"))
	server.requireBounded(t, limit, "X-Remote-User: somebody")
	release()
	server.waitReadiness(t, http.StatusOK, passes("kube-apiserver"))

	release = server.gate.hold()
	for name, header := range map[string]string{"a token": "Authorization: Bearer unheard", "nobody": "X-Nothing: at all"} {
		t.Run(name, func(t *testing.T) { server.requireBounded(t, limit, header) })
	}
	server.waitReadiness(t, http.StatusOK, remarks("kube-apiserver", "it does not answer in time"))
	release()
	server.waitReadiness(t, http.StatusOK, passes("kube-apiserver"))
}

// requireBounded requires that a request for which kube-apiserver must be asked
// is answered, with a refusal, about when its time is over.
func (s *server) requireBounded(t *testing.T, limit time.Duration, header string) {
	t.Helper()
	refusal := s.await(t, limit+10*time.Second, objectsPath, header)
	require.GreaterOrEqual(t, refusal.code, http.StatusUnauthorized, refusal.body)
}

// testClock has a kube-apiserver whose clock is an hour ahead.
func testClock(t *testing.T, s *site) {
	server := s.launch(t, "clock", rights)
	server.gate.set(func() { server.gate.ahead = time.Hour })
	server.gate.open(t)
	const text = "our clock is 1h0m0s behind that of kube-apiserver"
	server.waitReadiness(t, http.StatusOK, remarks("clock", text))
	server.requireSaidOnce(t, text)
	server.gate.set(func() { server.gate.ahead = 0 })
	server.waitReadiness(t, http.StatusOK, passes("clock"))
}

// testCertificate has a kube-apiserver whose certificate begins tomorrow.
func testCertificate(t *testing.T, s *site) {
	server := s.launch(t, "certificate", rights)
	server.gate.certify(t, s.kube.ClientCA.ServerFrom(t, time.Now().Add(time.Hour), "gate"))
	server.gate.open(t)
	server.waitReadiness(t, http.StatusInternalServerError, says("kube-apiserver", "its certificate is not valid at the time that our clock shows"))
	require.Contains(t, server.Process.Output(), x509.CertificateInvalidError{Reason: x509.Expired}.Error())
	server.gate.close()
	server.gate.certify(t, s.kube.ClientCA.Server(t, "gate"))
	server.gate.open(t)
	server.waitReadiness(t, http.StatusOK, passes("kube-apiserver"))
}
