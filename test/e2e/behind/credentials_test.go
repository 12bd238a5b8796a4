package behind

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	certificatesv1 "k8s.io/api/certificates/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/keyutil"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// credential adds the credentials of a user.
type credential func(*rest.Config)

func withToken(token string) credential {
	return func(config *rest.Config) { config.BearerToken = token }
}

func withCertificate(pair harness.Pair) credential {
	return func(config *rest.Config) { config.CertFile, config.KeyFile = pair.CertFile, pair.KeyFile }
}

func impersonating(user rest.ImpersonationConfig) credential {
	return func(config *rest.Config) { config.Impersonate = user }
}

// admin returns the credential of the administrator of the cluster.
func (s *besideSite) admin(t *testing.T) credential {
	t.Helper()
	return withToken(s.Config(t).BearerToken)
}

// signedCertificate returns a client certificate, signed for an approved
// CertificateSigningRequest.
func (s *besideSite) signedCertificate(t *testing.T, user string, groups ...string) credential {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.CertificateRequest{Subject: pkix.Name{CommonName: user, Organization: groups}}
	request, err := x509.CreateCertificateRequest(rand.Reader, template, key)
	require.NoError(t, err)
	requests := s.Client.CertificatesV1().CertificateSigningRequests()
	csr, err := requests.Create(t.Context(), &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			Request:           pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: request}),
			SignerName:        certificatesv1.KubeAPIServerClientSignerName,
			ExpirationSeconds: new(int32(3600)),
			Usages:            []certificatesv1.KeyUsage{certificatesv1.UsageClientAuth},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	s.kubectl.Run(t, "certificate", "approve", csr.Name)
	eventually.Holds(t, "the certificate is signed", func(a *eventually.Attempt) {
		csr, err = requests.Get(a.Context(), user, metav1.GetOptions{})
		require.NoError(a, err)
		require.NotEmpty(a, csr.Status.Certificate)
	})
	keyPEM, err := keyutil.MarshalPrivateKeyToPEM(key)
	require.NoError(t, err)
	return func(config *rest.Config) { config.CertData, config.KeyData = csr.Status.Certificate, keyPEM }
}

// serviceAccountToken returns a token from kubectl create token.
func (s *besideSite) serviceAccountToken(t *testing.T, name string) credential {
	t.Helper()
	s.kubectl.Run(t, "create", "serviceaccount", name)
	return withToken(strings.TrimSpace(s.kubectl.Run(t, "create", "token", name)))
}

// bootstrapToken returns a token of a Secret, as kubeadm creates them.
func (s *besideSite) bootstrapToken(t *testing.T) credential {
	t.Helper()
	s.kubectl.Run(t, "-n", "kube-system", "create", "secret", "generic", "bootstrap-token-abcdef", "--type=bootstrap.kubernetes.io/token",
		"--from-literal=token-id=abcdef", "--from-literal=token-secret=0123456789abcdef", "--from-literal=usage-bootstrap-authentication=true",
		"--from-literal=auth-extra-groups=system:bootstrappers:tests", "--from-literal=expiration="+time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
	return withToken("abcdef.0123456789abcdef")
}
