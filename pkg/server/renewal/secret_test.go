package renewal

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	clocktesting "k8s.io/utils/clock/testing"
)

const secretNamespace = "flowcontrol-system"

// secretRig is a namespace with the CA and the serving certificate of a data directory,
// in a time that the test moves.
type secretRig struct {
	*Secrets
	cluster *fake.Clientset
	clock   *clocktesting.FakeClock
	roots   *x509.CertPool
}

func newSecretRig(t *testing.T) *secretRig {
	t.Helper()
	r := newRig(t)
	content := func(name string) *corev1.Secret {
		certificate, err := os.ReadFile(r.file(name))
		require.NoError(t, err)
		key, err := os.ReadFile(strings.TrimSuffix(r.file(name), ".crt") + ".key")
		require.NoError(t, err)
		return &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: secretNamespace},
			Type:       corev1.SecretTypeTLS,
			Data:       map[string][]byte{corev1.TLSCertKey: certificate, corev1.TLSPrivateKeyKey: key, "other": []byte("stays")},
		}
	}
	ca := content("ca")
	cluster := fake.NewClientset(ca, content("serving"))
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(ca.Data[corev1.TLSCertKey]))
	return &secretRig{
		Secrets: &Secrets{
			Client: cluster.CoreV1().Secrets(secretNamespace), CA: "ca",
			Duration: time.Hour, RenewBefore: 20 * time.Minute, Clock: r.clock,
		},
		cluster: cluster, clock: r.clock, roots: roots,
	}
}

func get(t *testing.T, client corev1client.SecretInterface, name string) *corev1.Secret {
	t.Helper()
	secret, err := client.Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	return secret
}

// leaf returns the certificate in a Secret, whose key must fit.
func leaf(t *testing.T, secret *corev1.Secret) *x509.Certificate {
	t.Helper()
	pair, err := tls.X509KeyPair(secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey])
	require.NoError(t, err)
	return pair.Leaf
}

func (r *secretRig) requireValid(t *testing.T) {
	t.Helper()
	_, err := leaf(t, get(t, r.Client, "serving")).Verify(x509.VerifyOptions{
		Roots: r.roots, CurrentTime: r.clock.Now(), DNSName: "localhost", KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	require.NoError(t, err)
}

// TestAnHourLongCertificateInASecretIsValidForADay runs every 10 minutes of a day.
func TestAnHourLongCertificateInASecretIsValidForADay(t *testing.T) {
	r := newSecretRig(t)
	r.clock.Step(365*day - 15*time.Minute) // the first certificate is near its end
	renewed := 0
	for range 24 * 6 {
		before := get(t, r.Client, "serving")
		result, err := r.Renew(t.Context(), "serving")
		require.NoError(t, err)
		require.Empty(t, result.Left)
		r.requireValid(t)
		after := get(t, r.Client, "serving")
		require.Equal(t, result.NotAfter, leaf(t, after).NotAfter)
		if result.Renewed {
			renewed++
			require.Equal(t, r.clock.Now().Add(time.Hour), result.NotAfter)
			require.NotEqual(t, before.Data[corev1.TLSPrivateKeyKey], after.Data[corev1.TLSPrivateKeyKey])
		} else {
			require.Equal(t, before, after)
		}
		require.Equal(t, "stays", string(after.Data["other"]))
		r.clock.Step(9 * time.Minute)
		r.requireValid(t)
		r.clock.Step(time.Minute)
	}
	require.Equal(t, 24*6/5+1, renewed, "every 50 minutes, as 20 are required and 10 pass between two runs")
}

func TestASecretThatIsNotTheScriptsIsLeftAlone(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(t *testing.T, r *secretRig)
		left    string
	}{
		"one that does not exist": {
			func(t *testing.T, r *secretRig) {
				require.NoError(t, r.Client.Delete(t.Context(), "serving", metav1.DeleteOptions{}))
			}, "it does not exist",
		},
		"one of cert-manager": {
			func(t *testing.T, r *secretRig) {
				r.change(t, func(s *corev1.Secret) {
					s.Annotations = map[string]string{"cert-manager.io/certificate-name": "serving"}
				})
			}, "cert-manager renews it",
		},
		"one that another CA has signed": {
			func(t *testing.T, r *secretRig) {
				other := get(t, newSecretRig(t).Client, "serving")
				r.change(t, func(s *corev1.Secret) { s.Data = other.Data })
			}, "the CA in Secret ca has not signed it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newSecretRig(t)
			test.prepare(t, r)
			r.clock.Step(365*day - time.Minute)
			r.cluster.ClearActions()
			result, err := r.Renew(t.Context(), "serving")
			require.NoError(t, err)
			assert.Equal(t, test.left, result.Left)
			r.requireVerbs(t, "get ca", "get serving")
		})
	}
}

func (r *secretRig) change(t *testing.T, change func(*corev1.Secret)) {
	t.Helper()
	secret := get(t, r.Client, "serving")
	change(secret)
	_, err := r.Client.Update(t.Context(), secret, metav1.UpdateOptions{})
	require.NoError(t, err)
}

// requireVerbs requires that the cluster was asked for exactly this: the rights that
// artifacts/certificates/cronjob gives.
func (r *secretRig) requireVerbs(t *testing.T, want ...string) {
	t.Helper()
	var asked []string
	for _, action := range r.cluster.Actions() {
		var name string
		switch action := action.(type) {
		case interface{ GetName() string }:
			name = action.GetName()
		case interface{ GetObject() runtime.Object }:
			name = action.GetObject().(metav1.Object).GetName()
		}
		asked = append(asked, action.GetVerb()+" "+name)
	}
	require.Equal(t, want, asked)
}

func TestRenewingASecretNeedsToGetAndUpdateItAlone(t *testing.T) {
	r := newSecretRig(t)
	r.clock.Step(365 * day)
	_, err := r.Renew(t.Context(), "serving")
	require.NoError(t, err)
	r.requireVerbs(t, "get ca", "get serving", "update serving")
}

func TestASecretThatCannotBeRenewedIsNamed(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(t *testing.T, r *secretRig)
		says    string
	}{
		"a CA that does not exist": {
			func(t *testing.T, r *secretRig) {
				require.NoError(t, r.Client.Delete(t.Context(), "ca", metav1.DeleteOptions{}))
			}, "reading Secret ca, which has the CA",
		},
		"a CA that is none": {
			func(_ *testing.T, r *secretRig) { r.CA = "serving" }, "the certificate in Secret serving is no CA certificate",
		},
		"a CA near its end": {
			func(_ *testing.T, r *secretRig) { r.clock.Step(3650*day - 365*day) }, "the CA in Secret ca ends at 2040-02-27T12:00:00Z, too early to sign with it",
		},
		"a certificate with the key of another": {
			func(t *testing.T, r *secretRig) {
				key := get(t, r.Client, "ca").Data[corev1.TLSPrivateKeyKey]
				r.change(t, func(s *corev1.Secret) { s.Data[corev1.TLSPrivateKeyKey] = key })
			}, "the Secret serving has no certificate with its key",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newSecretRig(t)
			test.prepare(t, r)
			r.clock.Step(365*day - time.Minute)
			_, err := r.Renew(t.Context(), "serving")
			require.ErrorContains(t, err, test.says)
		})
	}
}

// Renewal wrote the signing CA alone, so a bundle for the change to another CA was lost.
func TestRenewalKeepsTheCABundleOfASecret(t *testing.T) {
	own := get(t, newSecretRig(t).Client, "ca").Data[corev1.TLSCertKey]
	other := string(own)
	for name, test := range map[string]struct{ bundle, want func(ca string) string }{
		"none":                {func(string) string { return "" }, func(ca string) string { return ca }},
		"with the CA":         {func(ca string) string { return other + ca }, func(ca string) string { return other + ca }},
		"of another CA alone": {func(string) string { return other }, func(ca string) string { return ca + other }},
		"that nobody reads":   {func(string) string { return "text" }, func(ca string) string { return ca }},
	} {
		t.Run(name, func(t *testing.T) {
			r := newSecretRig(t)
			ca := string(get(t, r.Client, "ca").Data[corev1.TLSCertKey])
			r.change(t, func(s *corev1.Secret) { s.Data[caBundleKey] = []byte(test.bundle(ca)) })
			r.clock.Step(365*day - 15*time.Minute)
			result, err := r.Renew(t.Context(), "serving")
			require.NoError(t, err)
			require.True(t, result.Renewed)
			require.Equal(t, test.want(ca), string(get(t, r.Client, "serving").Data[caBundleKey]))
			r.requireValid(t)
		})
	}
}
