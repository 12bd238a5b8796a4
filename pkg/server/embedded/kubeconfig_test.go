package embedded

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
)

func TestWriteKubeconfigHoldsAllAClientNeeds(t *testing.T) {
	dir, _, certificates := certified(t)
	changed, err := WriteKubeconfig(dir, "https://127.0.0.1:6443", certificates)
	require.NoError(t, err)
	assert.True(t, changed)
	assert.Equal(t, filepath.Join(dir.Path(), "admin.kubeconfig"), dir.KubeconfigPath())
	assert.Equal(t, os.FileMode(0o600), modeOf(t, dir.KubeconfigPath()))

	loaded, err := clientcmd.LoadFromFile(dir.KubeconfigPath())
	require.NoError(t, err)
	assert.Equal(t, "flowcontrol-apiserver", loaded.CurrentContext)
	assert.Contains(t, loaded.Clusters, "flowcontrol-apiserver")
	assert.Contains(t, loaded.AuthInfos, "flowcontrol-apiserver")
	config, err := clientcmd.NewDefaultClientConfig(*loaded, nil).ClientConfig()
	require.NoError(t, err)
	assert.Equal(t, "https://127.0.0.1:6443", config.Host)
	assert.Equal(t, certificates.CA.CertificatePEM, config.CAData)
	assert.Equal(t, certificates.Admin.CertificatePEM, config.CertData)
	assert.Equal(t, certificates.Admin.KeyPEM, config.KeyData)
}

func TestWriteKubeconfigOnALaterStart(t *testing.T) {
	const server = "https://127.0.0.1:6443"
	tests := map[string]struct {
		prepare func(t *testing.T, path string)
		server  string
		renewed bool
		changed bool
	}{
		"leaves it alone when nothing changed": {server: server},
		"rewrites it for another port":         {server: "https://127.0.0.1:6444", changed: true},
		"rewrites it for renewed certificates": {server: server, renewed: true, changed: true},
		"rewrites one that was broken": {
			server: server, changed: true,
			prepare: func(t *testing.T, path string) { write(t, path, "rubbish") },
		},
		"creates one that was removed": {
			server: server, changed: true,
			prepare: func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) },
		},
		"restricts one that was opened to others": {
			server:  server,
			prepare: func(t *testing.T, path string) { require.NoError(t, os.Chmod(path, 0o644)) },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir, _, certificates := certified(t)
			_, err := WriteKubeconfig(dir, server, certificates)
			require.NoError(t, err)
			if test.prepare != nil {
				test.prepare(t, dir.KubeconfigPath())
			}
			before, beforeErr := os.Stat(dir.KubeconfigPath())
			if test.renewed {
				certificates, err = EnsureCertificates(dir, nil, at(begin().Add(340*day)))
				require.NoError(t, err)
			}

			changed, err := WriteKubeconfig(dir, test.server, certificates)
			require.NoError(t, err)
			assert.Equal(t, test.changed, changed)
			assert.Equal(t, os.FileMode(0o600), modeOf(t, dir.KubeconfigPath()))
			after, err := os.Stat(dir.KubeconfigPath())
			require.NoError(t, err)
			assert.Equal(t, !test.changed, beforeErr == nil && os.SameFile(before, after))

			loaded, err := clientcmd.LoadFromFile(dir.KubeconfigPath())
			require.NoError(t, err)
			assert.Equal(t, test.server, loaded.Clusters["flowcontrol-apiserver"].Server)
			assert.Equal(t, certificates.Admin.CertificatePEM, loaded.AuthInfos["flowcontrol-apiserver"].ClientCertificateData)
		})
	}
}

func TestWriteKubeconfigNamesTheFileItCannotWrite(t *testing.T) {
	dir, _, certificates := certified(t)
	require.NoError(t, os.Mkdir(dir.KubeconfigPath(), 0o700))
	_, err := WriteKubeconfig(dir, "https://127.0.0.1:6443", certificates)
	assert.ErrorContains(t, err, "kubeconfig "+dir.KubeconfigPath()+" cannot be read")
}
