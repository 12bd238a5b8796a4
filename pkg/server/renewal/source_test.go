package renewal

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// kubeconfigWith writes a kubeconfig whose current context has this user.
func kubeconfigWith(t *testing.T, dir string, user *clientcmdapi.AuthInfo) string {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["here"] = &clientcmdapi.Cluster{Server: "https://127.0.0.1:1"}
	config.AuthInfos["me"] = user
	config.Contexts["here"] = &clientcmdapi.Context{Cluster: "here", AuthInfo: "me"}
	config.CurrentContext = "here"
	file := filepath.Join(dir, "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, file))
	return file
}

// served presents one certificate.
func served(content []byte) func() (cert, key []byte) {
	return func() (cert, key []byte) { return content, nil }
}

func TestSourcesReadWhatTheServerUses(t *testing.T) {
	r := newRig(t)
	leaf, err := os.ReadFile(r.file("serving"))
	require.NoError(t, err)
	ca, err := os.ReadFile(r.file("ca"))
	require.NoError(t, err)
	leafEnd := time.Date(2031, time.March, 1, 12, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	embedded := kubeconfigWith(t, t.TempDir(), &clientcmdapi.AuthInfo{ClientCertificateData: leaf, ClientKeyData: leaf})
	token := kubeconfigWith(t, t.TempDir(), &clientcmdapi.AuthInfo{Token: "t"})
	chain := filepath.Join(dir, "chain.crt")
	require.NoError(t, os.WriteFile(chain, append(ca, leaf...), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "client.crt"), leaf, 0o600))

	for name, test := range map[string]struct {
		source Source
		file   string
		end    time.Time
	}{
		"a certificate that is served":               {Served("x", "file", served(leaf)), "file", leafEnd},
		"a file":                                     {File("x", r.file("serving")), r.file("serving"), leafEnd},
		"a chain, by the first that ends":            {File("x", chain), chain, leafEnd},
		"a kubeconfig with a certificate":            {Kubeconfig("x", embedded), embedded, leafEnd},
		"a kubeconfig that names a file beside it":   {Kubeconfig("x", kubeconfigWith(t, dir, &clientcmdapi.AuthInfo{ClientCertificate: "client.crt", ClientKey: "client.crt"})), filepath.Join(dir, "client.crt"), leafEnd},
		"a kubeconfig with a token has none of them": {Kubeconfig("x", token), token, time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			file, end, err := test.source.Read()
			require.NoError(t, err)
			assert.Equal(t, "x", test.source.Name)
			assert.Equal(t, test.file, file)
			assert.Equal(t, test.end, end)
		})
	}
}

func TestSourcesThatCannotBeReadAreErrors(t *testing.T) {
	absent := filepath.Join(t.TempDir(), "absent")
	for name, source := range map[string]Source{
		"a file that is absent":                   File("x", absent),
		"a kubeconfig that is absent":             Kubeconfig("x", absent),
		"a served file that is none":              Served("x", absent, served([]byte("rubbish"))),
		"a kubeconfig with a file that is absent": Kubeconfig("x", kubeconfigWith(t, t.TempDir(), &clientcmdapi.AuthInfo{ClientCertificate: absent, ClientKey: absent})),
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := source.Read()
			require.ErrorContains(t, err, absent)
		})
	}
}
