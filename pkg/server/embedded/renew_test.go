package embedded

import (
	"crypto/x509"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
)

const testServer = "https://127.0.0.1:6443"

// startedOnce returns a data directory that a server has used and, if running, still has
// locked.
func startedOnce(t *testing.T, running bool) (dir *DataDirectory, certificates *Certificates) {
	t.Helper()
	dir, err := OpenDataDirectory(filepath.Join(t.TempDir(), "data"))
	require.NoError(t, err)
	certificates, err = EnsureCertificates(dir, []string{"alone.example.com"}, at(begin()))
	require.NoError(t, err)
	_, err = WriteKubeconfig(dir, testServer, certificates)
	require.NoError(t, err)
	if running {
		t.Cleanup(func() { _ = dir.Close() })
	} else {
		require.NoError(t, dir.Close())
	}
	return dir, certificates
}

func TestRenewCertificatesRenewsWhatIsNamed(t *testing.T) {
	tests := map[string]struct {
		running bool
		names   []string
		after   time.Duration
		written []string
	}{
		"all, of a stopped server":                      {names: LeafCertificates(), written: []string{"serving", "admin", "admin.kubeconfig"}},
		"all, beside a running server":                  {running: true, names: LeafCertificates(), written: []string{"serving", "admin", "admin.kubeconfig"}},
		"the serving certificate":                       {names: []string{"serving"}, written: []string{"serving"}},
		"the administrator's, and that in a kubeconfig": {names: []string{"admin"}, written: []string{"admin", "admin.kubeconfig"}},
		"all, and a CA that is due":                     {names: LeafCertificates(), after: 3300 * day, written: []string{"ca", "serving", "admin", "admin.kubeconfig"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir, old := startedOnce(t, test.running)
			moment := begin().Add(test.after + day)
			renewals, err := RenewCertificates(t.Context(), dir.Path(), test.names, at(moment))
			require.NoError(t, err)
			assert.Equal(t, test.written, renewedNames(renewals))
			for _, renewal := range renewals {
				if renewal.Certificate != CACertificate {
					assert.Equal(t, moment.Add(365*day), renewal.NotAfter, renewal.Certificate)
				}
			}

			// What it wrote is what the server would write: the server changes nothing.
			before := contents(t, filepath.Join(dir.Path(), "pki"))
			current, err := EnsureCertificates(dir, []string{"alone.example.com"}, at(moment))
			require.NoError(t, err)
			changed, err := WriteKubeconfig(dir, testServer, current)
			require.NoError(t, err)
			assert.False(t, changed, "the kubeconfig differs from the server's")
			assert.Empty(t, differences(before, contents(t, filepath.Join(dir.Path(), "pki"))))
			assert.Equal(t, old.Serving.KeyPEM, current.Serving.KeyPEM)
			assert.Equal(t, old.Admin.KeyPEM, current.Admin.KeyPEM)
			for _, trust := range []*Certificates{old, current} {
				if trust == old && test.after > 0 {
					continue // its CA certificate is near its end
				}
				assert.NoError(t, verifyAt(t, moment, trust, parse(t, current.Serving), x509.ExtKeyUsageServerAuth, "alone.example.com"))
				assert.NoError(t, verifyAt(t, moment, trust, parse(t, current.Admin), x509.ExtKeyUsageClientAuth, ""))
			}
		})
	}
}

func TestRenewCertificatesEndsAValidityThatAWrongClockLeft(t *testing.T) {
	dir, _ := startedOnce(t, true)
	_, err := EnsureCertificates(dir, []string{"alone.example.com"}, at(begin().Add(30*365*day)))
	require.NoError(t, err)
	_, err = RenewCertificates(t.Context(), dir.Path(), LeafCertificates(), at(begin()))
	require.NoError(t, err)
	current, err := EnsureCertificates(dir, []string{"alone.example.com"}, at(begin()))
	require.NoError(t, err)
	assert.Equal(t, begin().Add(365*day), current.Admin.NotAfter)
	assert.Equal(t, begin().Add(365*day), current.Serving.NotAfter)
}

func TestRenewCertificatesKeepsWhatIsNotOfTheCertificatesInTheKubeconfig(t *testing.T) {
	dir, _ := startedOnce(t, false)
	config, err := clientcmd.LoadFromFile(dir.KubeconfigPath())
	require.NoError(t, err)
	config.Clusters["flowcontrol-apiserver"].CertificateAuthorityData = []byte("of --tls-cert-file")
	config.Clusters["other"] = config.Clusters["flowcontrol-apiserver"].DeepCopy()
	require.NoError(t, clientcmd.WriteToFile(*config, dir.KubeconfigPath()))

	_, err = RenewCertificates(t.Context(), dir.Path(), []string{AdminCertificate}, at(begin().Add(3300*day)))
	require.NoError(t, err)
	renewed, err := clientcmd.LoadFromFile(dir.KubeconfigPath())
	require.NoError(t, err)
	assert.Equal(t, "of --tls-cert-file", string(renewed.Clusters["flowcontrol-apiserver"].CertificateAuthorityData))
	assert.Contains(t, renewed.Clusters, "other")
	assert.Equal(t, testServer, renewed.Clusters["flowcontrol-apiserver"].Server)
	assert.Equal(t, os.FileMode(0o600), modeOf(t, dir.KubeconfigPath()))
}

func TestRenewCertificatesRejectsWhatItMayNotReplace(t *testing.T) {
	tests := map[string]struct {
		prepare func(t *testing.T, dir *DataDirectory)
		names   []string
		says    []string
	}{
		"a name that is none":      {names: []string{"ca"}, says: []string{`"ca"`, `"serving" or "admin"`}},
		"a certificate of others":  {prepare: func(t *testing.T, dir *DataDirectory) { putSelfSigned(t, dir.pkiPath(), "serving", "alone") }, says: []string{"serving.crt was not created by this server"}},
		"a CA of others":           {prepare: func(t *testing.T, dir *DataDirectory) { putSelfSigned(t, dir.pkiPath(), "ca", "Corp") }, says: []string{"ca.crt was not created by this server"}},
		"a certificate is missing": {prepare: func(t *testing.T, dir *DataDirectory) { remove(t, dir.pkiPath(), "admin.crt") }, says: []string{"admin.crt is missing", "start the server"}},
		"a directory without any": {
			prepare: func(t *testing.T, dir *DataDirectory) { require.NoError(t, os.RemoveAll(dir.pkiPath())) },
			says:    []string{"has no certificates", "--data-dir"},
		},
		"a kubeconfig that is none": {
			prepare: func(t *testing.T, dir *DataDirectory) { write(t, dir.KubeconfigPath(), "rubbish") },
			says:    []string{"admin.kubeconfig", "recreates it"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir, _ := startedOnce(t, false)
			if test.prepare != nil {
				test.prepare(t, dir)
			}
			before := slices.Collect(maps.Keys(contents(t, dir.Path())))
			names := test.names
			if names == nil {
				names = LeafCertificates()
			}
			_, err := RenewCertificates(t.Context(), dir.Path(), names, at(begin()))
			for _, text := range test.says {
				require.ErrorContains(t, err, text)
			}
			assert.Subset(t, append(before, certificateLockName), slices.Collect(maps.Keys(contents(t, dir.Path()))), "it created files")
		})
	}
}

func TestTwoWritersOfCertificatesExcludeEachOther(t *testing.T) {
	dir, _ := startedOnce(t, true)
	before := contents(t, dir.pkiPath())
	moment := at(begin().Add(day))
	unlock, err := dir.LockCertificates(t.Context())
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		_, err := RenewCertificates(t.Context(), dir.Path(), LeafCertificates(), moment)
		require.ErrorContains(t, err, "certificates in "+dir.Path()+" are locked by another process")
	})
	require.Empty(t, differences(before, contents(t, dir.pkiPath())))

	done := make(chan error, 1)
	go func() {
		_, err := RenewCertificates(t.Context(), dir.Path(), LeafCertificates(), moment)
		done <- err
	}()
	require.NoError(t, unlock())
	require.NoError(t, <-done)
	require.Equal(t, []string{"admin.crt", "serving.crt"}, differences(before, contents(t, dir.pkiPath())))
}
