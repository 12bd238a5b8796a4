package behind

import (
	"crypto/x509"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const unreachable = "kube-apiserver cannot be reached: check that it runs, and that the kubeconfig has its address"

// testTroubles causes each possible error of a kube-apiserver in turn. The wrong
// clock remains until the end: while a check has a warning or error, the server
// repeats it at short intervals.
func testTroubles(t *testing.T, s *kubeSite) {
	const limit = "--request-timeout=4s"
	server := s.launch(t, "troubles", limit)
	s.grantAll(t, "troubles")
	admin := "Authorization: Bearer " + s.kube.Config(t).BearerToken

	server.waitReadiness(t, http.StatusInternalServerError, says("kube-apiserver", unreachable), says("delegated-authorization", "kube-apiserver has not answered yet"))
	server.waitCode(t, "/livez", http.StatusOK) // a restart would not help
	server.requireRejected(t, map[string][]string{
		"nobody":                    nil,
		"one who names themselves":  {"X-Remote-User: admin", "X-Remote-Group: system:masters"},
		"one whom nobody knows now": {admin},
		"one with another token":    {"Authorization: Bearer unheard"},
	})

	testCertificate(t, s, server)

	server.gate.set(func() { server.gate.ahead = time.Hour })
	release := server.gate.hold()
	server.gate.certify(t, s.kube.ClientCA.Server(t, "gate"))
	server.waitReadiness(t, http.StatusInternalServerError, says("kube-apiserver", "kube-apiserver did not answer in time"))
	server.requireRejected(t, map[string][]string{"one who names themselves": {"X-Remote-User: somebody"}})
	release()

	const behind = "this server's clock is 1h0m0s behind kube-apiserver's clock"
	server.waitReadiness(t, http.StatusOK, passes("kube-apiserver"), passes("delegated-authentication"), passes("delegated-admission"), remarks("clock", behind))
	server.requireSaid(t, 1, behind)
	server.requireSaid(t, 1, `"Check passed" logger="kube-apiserver" check="kube-apiserver"`)
	server.waitCode(t, kubeObjectsPath, http.StatusOK, admin)

	testLoss(t, server)
}

// testCertificate gives kube-apiserver a certificate that is not yet valid.
func testCertificate(t *testing.T, s *kubeSite, server *server) {
	t.Helper()
	server.gate.certify(t, s.kube.ClientCA.ServerFrom(t, time.Now().Add(time.Hour), "gate"))
	server.gate.open(t)
	server.waitReadiness(t, http.StatusInternalServerError, says("kube-apiserver", "the certificate of kube-apiserver has expired or is not valid yet by this server's clock"))
	require.Contains(t, server.Process.Output(), x509.CertificateInvalidError{Reason: x509.Expired}.Error())
}

// testLoss disconnects a running kube-apiserver: the server remains ready.
func testLoss(t *testing.T, server *server) {
	t.Helper()
	// Another check may log the same reason, if kube-apiserver disconnects during
	// it.
	const said = `check="kube-apiserver" reason="` + unreachable
	server.requireSaid(t, 1, said)
	server.gate.close()
	server.waitReadiness(t, http.StatusOK, remarks("kube-apiserver", unreachable))
	server.waitCode(t, "/livez", http.StatusOK)
	server.requireSaid(t, 2, said) // logged once, at the start of the outage

	release := server.gate.hold()
	server.gate.open(t)
	server.waitReadiness(t, http.StatusOK, remarks("kube-apiserver", "kube-apiserver did not answer in time"))
	server.requireRejected(t, map[string][]string{"a token": {"Authorization: Bearer unheard"}, "nobody": nil})
	server.gate.set(func() { server.gate.ahead = 0 })
	release()
	server.waitReadiness(t, http.StatusOK, passes("kube-apiserver"), passes("clock"))
}
