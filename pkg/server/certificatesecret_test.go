package server_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/client-go/kubernetes/fake"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/renewal"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// mount writes a Secret of a certificate into a folder as kubelet does: all files change at
// once, and then the old ones are removed.
func mount(t *testing.T, secrets corev1client.SecretInterface, name, folder string) {
	t.Helper()
	secret, err := secrets.Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	version, err := os.MkdirTemp(folder, "..version-") //nolint:usetesting // beside the link, as kubelet does
	require.NoError(t, err)
	for file, content := range secret.Data {
		require.NoError(t, os.WriteFile(filepath.Join(version, file), content, 0o600))
	}
	next, data := filepath.Join(folder, "..data_tmp"), filepath.Join(folder, "..data")
	old, mounted := os.Readlink(data)
	require.NoError(t, os.Symlink(filepath.Base(version), next))
	require.NoError(t, os.Rename(next, data))
	for file := range secret.Data {
		if link := filepath.Join(folder, file); !exists(link) {
			require.NoError(t, os.Symlink(filepath.Join("..data", file), link))
		}
	}
	if mounted == nil {
		require.NoError(t, os.RemoveAll(filepath.Join(folder, old)))
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestAnHourLongCertificateInASecretIsReplacedWithoutADroppedConnection runs what the
// CronJob of artifacts/certificates/cronjob runs, beside a server that has the Secret
// mounted.
func TestAnHourLongCertificateInASecretIsReplacedWithoutADroppedConnection(t *testing.T) {
	ca := harness.NewCA(t, "of the script")
	pair := ca.ServerFrom(t, time.Now().Add(time.Hour), "serving") // not valid yet, and so renewed at once
	cluster := fake.NewClientset(secretOf(t, "ca", ca.CertFile, ca.KeyFile), secretOf(t, "serving", pair.CertFile, pair.KeyFile))
	secrets, folder := cluster.CoreV1().Secrets("flowcontrol-system"), t.TempDir()
	job := renewal.Secrets{Client: secrets, CA: "ca", Duration: time.Hour, RenewBefore: 20 * time.Minute, Clock: clock.RealClock{}}
	renewed(t, job, true)
	mount(t, secrets, "serving", folder)
	running := startClocked(t, func(config *server.Config) {
		config.SecureServing.ServerCert.CertKey = genericoptions.CertKey{CertFile: filepath.Join(folder, "tls.crt"), KeyFile: filepath.Join(folder, "tls.key")}
	})
	admin := running.admin(t)
	admin.CAData = read(t, ca.CertFile)
	first := running.presented(t, trusting(t, admin))
	client, err := versioned.NewForConfig(admin)
	require.NoError(t, err)
	watched, err := client.FlowcontrolV1().FlowSchemas().Watch(t.Context(), metav1.SingleObject(metav1.ObjectMeta{Name: "during-renewal"}))
	require.NoError(t, err)
	defer watched.Stop()
	requests := keepRequesting(t, client.FlowcontrolV1().FlowSchemas().List)

	job.Clock = running.clock
	running.clock.Step(30 * time.Minute)
	renewed(t, job, false)
	running.clock.Step(15 * time.Minute)
	renewed(t, job, true)
	mount(t, secrets, "serving", folder)

	eventually.Holds(t, "a new connection has the new certificate", func(a *eventually.Attempt) {
		require.NotEqual(a, first.SerialNumber, running.presented(a, trusting(a, admin)).SerialNumber)
	})
	requests.stop(t)
	running.requireWatched(t, admin, watched, "during-renewal")
}

// renewed runs the job on the Secret "serving".
func renewed(t *testing.T, job renewal.Secrets, want bool) {
	t.Helper()
	result, err := job.Renew(t.Context(), "serving")
	require.NoError(t, err)
	require.Equal(t, want, result.Renewed)
}

func secretOf(t *testing.T, name, certFile, keyFile string) *corev1.Secret {
	t.Helper()
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "flowcontrol-system"},
		Type:       corev1.SecretTypeTLS,
		Data:       map[string][]byte{corev1.TLSCertKey: read(t, certFile), corev1.TLSPrivateKeyKey: read(t, keyFile)},
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	return content
}
