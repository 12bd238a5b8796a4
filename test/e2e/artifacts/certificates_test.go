package artifacts

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

func testCertificates(t *testing.T, k *kubeAPIServer) {
	client, kubectl := k.client, k.kubectl
	script := certificatesScript(t, k.kubeconfig)

	output, err := script("etcd", "serving")
	require.NoError(t, err, output)
	secrets := secretsOf(t, client)
	require.Len(t, secrets, 4)

	authority := pool(t, secrets["flowcontrol-apiserver-ca"])
	for name, host := range map[string]string{
		"flowcontrol-apiserver-serving":     "flowcontrol-apiserver.flowcontrol-system.svc",
		"flowcontrol-etcd-tls":              "flowcontrol-etcd-2.flowcontrol-etcd.flowcontrol-system.svc",
		"flowcontrol-apiserver-etcd-client": "",
	} {
		certificate := leaf(t, secrets[name])
		require.Equal(t, secrets["flowcontrol-apiserver-ca"].Data["tls.crt"], secrets[name].Data["ca.crt"])
		usages := certificate.ExtKeyUsage
		_, err := certificate.Verify(x509.VerifyOptions{Roots: authority, DNSName: host, KeyUsages: usages})
		require.NoError(t, err, name)
		if host != "" {
			require.Contains(t, usages, x509.ExtKeyUsageServerAuth)
		}
		if strings.Contains(name, "etcd") {
			require.Contains(t, usages, x509.ExtKeyUsageClientAuth)
		}
	}

	t.Run("again: nothing changes, and the APIService trusts the authority", func(t *testing.T) {
		kubectl.Run(t, "apply", "-k", folder(t, "registration/v1beta3"))
		for range 2 {
			output, err := script("etcd", "serving")
			require.NoError(t, err, output)
			bundle := kubectl.Run(t, "get", "apiservice", "v1beta3.flowcontrol.apiserver.k8s.io", "-o", "jsonpath={.spec.caBundle}")
			require.Equal(t, base64.StdEncoding.EncodeToString(secrets["flowcontrol-apiserver-ca"].Data["tls.crt"]), bundle)
			require.Empty(t, kubectl.Run(t, "get", "apiservice", "v1.flowcontrol.apiserver.k8s.io", "-o", "jsonpath={.spec.caBundle}"), "is not ours")
			kubectl.Run(t, "apply", "-k", folder(t, "registration/v1beta3"))
		}
		require.Equal(t, versions(secrets), versions(secretsOf(t, client)))
	})
	t.Run("a certificate near its end is renewed, by the same authority", func(t *testing.T) {
		replaceLeaf(t, client, secrets, "flowcontrol-apiserver-serving", 10*24*time.Hour)
		output, err := script("serving")
		require.NoError(t, err, output)
		now := secretsOf(t, client)
		renewed := leaf(t, now["flowcontrol-apiserver-serving"])
		end := leaf(t, secrets["flowcontrol-apiserver-ca"]).NotAfter
		require.True(t, renewed.NotAfter.Before(end), "it does not outlive its CA")
		require.True(t, renewed.NotAfter.After(end.AddDate(0, 0, -21)), "and is renewed with it")
		_, err = renewed.Verify(x509.VerifyOptions{Roots: authority})
		require.NoError(t, err)
		for _, kept := range []string{"flowcontrol-apiserver-ca", "flowcontrol-etcd-tls", "flowcontrol-apiserver-etcd-client"} {
			require.Equal(t, secrets[kept].ResourceVersion, now[kept].ResourceVersion, kept)
		}
	})
	t.Run("an authority near its end is kept, and how to replace it is said", func(t *testing.T) {
		replaceLeaf(t, client, secrets, "flowcontrol-apiserver-ca", 100*24*time.Hour)
		before := versions(secretsOf(t, client))
		output, err := script("etcd", "serving")
		require.NoError(t, err, output)
		require.Contains(t, output, "The CA expires within a year. docs/certificates.md, Replace the CA of a cluster, says how to replace it "+
			"while clients go on. If you delete the Secret flowcontrol-apiserver-ca, requests fail.\n")
		require.Equal(t, before, versions(secretsOf(t, client)))
	})
	t.Run("a certificate of another authority is replaced", func(t *testing.T) {
		require.NoError(t, client.CoreV1().Secrets(namespace).Delete(t.Context(), "flowcontrol-apiserver-ca", metav1.DeleteOptions{}))
		output, err := script("etcd", "serving")
		require.NoError(t, err, output)
		now := secretsOf(t, client)
		for _, name := range []string{"flowcontrol-apiserver-serving", "flowcontrol-etcd-tls", "flowcontrol-apiserver-etcd-client"} {
			_, err := leaf(t, now[name]).Verify(x509.VerifyOptions{Roots: pool(t, now["flowcontrol-apiserver-ca"]), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
			require.NoError(t, err, name)
		}
	})
	t.Run("the CA is replaced while clients that trust a bundle go on", func(t *testing.T) { testReplacedCA(t, k, script) })
}

// testReplacedCA replaces the CA as docs/certificates.md says: bundles of both come first.
func testReplacedCA(t *testing.T, k *kubeAPIServer, script func(args ...string) (string, error)) {
	client, apiService := k.client, []string{"apiservice", "v1beta3.flowcontrol.apiserver.k8s.io"}
	next := harness.NewCA(t, "the next CA")
	certificate, err := os.ReadFile(next.CertFile)
	require.NoError(t, err)
	key, err := os.ReadFile(next.KeyFile)
	require.NoError(t, err)
	ca := secretsOf(t, client)["flowcontrol-apiserver-ca"]
	bundle := slices.Concat(ca.Data["tls.crt"], certificate)
	leaves := []string{"flowcontrol-apiserver-serving", "flowcontrol-etcd-tls", "flowcontrol-apiserver-etcd-client"}
	for _, name := range leaves {
		secret := secretsOf(t, client)[name]
		secret.Data["ca.crt"] = bundle
		_, err := client.CoreV1().Secrets(namespace).Update(t.Context(), secret, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	trusted := base64.StdEncoding.EncodeToString(bundle)
	k.kubectl.Run(t, append([]string{"patch", "--type=merge", "-p", `{"spec":{"caBundle":"` + trusted + `"}}`}, apiService...)...)
	ca.Data["tls.crt"], ca.Data["tls.key"] = certificate, key
	_, err = client.CoreV1().Secrets(namespace).Update(t.Context(), ca, metav1.UpdateOptions{})
	require.NoError(t, err)

	output, err := script("etcd", "serving")
	require.NoError(t, err, output)
	now := secretsOf(t, client)
	for _, name := range leaves {
		require.Equal(t, string(bundle), string(now[name].Data["ca.crt"]), name)
		require.NoError(t, leaf(t, now[name]).CheckSignatureFrom(leaf(t, now["flowcontrol-apiserver-ca"])), name)
	}
	require.Equal(t, trusted, k.kubectl.Run(t, append([]string{"get", "-o", "jsonpath={.spec.caBundle}"}, apiService...)...))
}

func TestCertificatesScriptSaysWhatIsWrong(t *testing.T) {
	script := certificatesScript(t, "/nowhere/kubeconfig")
	for says, args := range map[string][]string{
		"unknown argument --etcd: it must be etcd or serving": {"serving", "--etcd"},
		"name what to make: etcd, serving, or both":           nil,
	} {
		output, err := script(args...)
		require.Error(t, err)
		require.Equal(t, "certificates.sh: "+says+"\n", output)
	}

	t.Setenv("OPENSSL", "no-such-program")
	output, err := script("etcd")
	require.Error(t, err)
	require.Equal(t, "certificates.sh: no-such-program is not installed, or not in PATH\n", output)
}

// certificatesScript returns a function that runs the script against a cluster.
func certificatesScript(t *testing.T, kubeconfig string) func(args ...string) (string, error) {
	t.Helper()
	kubectl := harness.Program(t, binaries.Kubectl)
	return func(args ...string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
		defer cancel()
		cmd := exec.CommandContext(ctx, folder(t, "certificates/certificates.sh"), args...)
		cmd.Env = append(os.Environ(), "KUBECTL="+kubectl, "KUBECONFIG="+kubeconfig, "KUBECACHEDIR="+t.TempDir())
		output, err := cmd.CombinedOutput()
		return string(output), err
	}
}

func secretsOf(t *testing.T, client kubernetes.Interface) map[string]*corev1.Secret {
	t.Helper()
	list, err := client.CoreV1().Secrets(namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	secrets := map[string]*corev1.Secret{}
	for i := range list.Items {
		secrets[list.Items[i].Name] = &list.Items[i]
	}
	return secrets
}

func versions(secrets map[string]*corev1.Secret) map[string]string {
	versions := map[string]string{}
	for name, secret := range secrets {
		versions[name] = secret.ResourceVersion
	}
	return versions
}

func leaf(t *testing.T, secret *corev1.Secret) *x509.Certificate {
	t.Helper()
	require.NotNil(t, secret)
	pair, err := tls.X509KeyPair(secret.Data["tls.crt"], secret.Data["tls.key"])
	require.NoError(t, err)
	return pair.Leaf
}

func pool(t *testing.T, secret *corev1.Secret) *x509.CertPool {
	t.Helper()
	require.True(t, leaf(t, secret).IsCA)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(secret.Data["tls.crt"]))
	return pool
}

// replaceLeaf replaces the certificate in a Secret with one that expires soon.
func replaceLeaf(t *testing.T, client kubernetes.Interface, secrets map[string]*corev1.Secret, name string, left time.Duration) {
	t.Helper()
	signer, err := tls.X509KeyPair(secrets["flowcontrol-apiserver-ca"].Data["tls.crt"], secrets["flowcontrol-apiserver-ca"].Data["tls.key"])
	require.NoError(t, err)
	template := *leaf(t, secrets[name])
	template.NotAfter = time.Now().Add(left)
	raw, err := x509.CreateCertificate(rand.Reader, &template, signer.Leaf, template.PublicKey.(*ecdsa.PublicKey), signer.PrivateKey)
	require.NoError(t, err)
	var content bytes.Buffer
	require.NoError(t, pem.Encode(&content, &pem.Block{Type: "CERTIFICATE", Bytes: raw}))
	secret := secrets[name].DeepCopy()
	secret.ResourceVersion = ""
	secret.Data["tls.crt"] = content.Bytes()
	_, err = client.CoreV1().Secrets(namespace).Update(t.Context(), secret, metav1.UpdateOptions{})
	require.NoError(t, err)
}
