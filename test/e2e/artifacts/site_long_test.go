//go:build long

package artifacts

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

const (
	replicas = 3
	// account and namespace are the names in artifacts/prometheus.
	account, guideNamespace = "prometheus", "monitoring"
)

// site is a cluster where this server serves v1beta3, with a Prometheus.
type site struct {
	*cluster.Cluster
	kubectl    *harness.Kubectl
	prometheus string // URL
}

func startSite(t *testing.T) *site {
	t.Helper()
	c := cluster.Start(t, cluster.Options{Topology: cluster.Beside})
	s := &site{Cluster: c, kubectl: c.Kubectl(t)}
	s.kubectl.Run(t, "create", "namespace", guideNamespace)
	s.kubectl.Run(t, "-n", guideNamespace, "create", "serviceaccount", account)
	c.Apply(t, "prometheus")
	s.prometheus = s.startPrometheus(t)
	return s
}

// writeScrape writes the scrape configuration and the files that it names. It
// replaces the paths and addresses of a pod with the test's. The rest is
// unchanged.
func (s *site) writeScrape(t *testing.T, dir string) {
	t.Helper()
	content, err := os.ReadFile(harness.Path(t, "artifacts/prometheus/scrape.yaml"))
	require.NoError(t, err)
	var file struct {
		ScrapeConfigs []map[string]any `json:"scrape_configs"`
	}
	require.NoError(t, yaml.UnmarshalStrict(content, &file))
	require.Len(t, file.ScrapeConfigs, 2, "of the server and of etcd")
	token := s.token(t)
	write(t, filepath.Join(dir, "token"), token)
	write(t, filepath.Join(dir, "ca.crt"), s.authority(t))

	scrape := file.ScrapeConfigs[0]
	scrape["authorization"].(map[string]any)["credentials_file"] = "token"
	scrape["tls_config"].(map[string]any)["ca_file"] = "ca.crt"
	scrape["proxy_url"] = s.Network.Proxy()
	kubeconfig := s.KubeAPIServer.KubeconfigOf(t, token) // replaces the files that tell a pod its cluster
	for _, scrape := range file.ScrapeConfigs {
		scrape["kubernetes_sd_configs"].([]any)[0].(map[string]any)["kubeconfig_file"] = kubeconfig
	}
	content, err = yaml.Marshal(file)
	require.NoError(t, err)
	write(t, filepath.Join(dir, "scrape.yaml"), string(content))
}

// token returns a token of the service account.
func (s *site) token(t *testing.T) string {
	t.Helper()
	token, err := s.Client.CoreV1().ServiceAccounts(guideNamespace).CreateToken(t.Context(), account, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	return token.Status.Token
}

// authority returns the CA bundle with the command of the comment in scrape.yaml.
func (s *site) authority(t *testing.T) string {
	t.Helper()
	encoded := s.kubectl.Run(t, "-n", cluster.Namespace, "get", "secret", "flowcontrol-apiserver-serving", "-o", `go-template={{index .data "ca.crt"}}`)
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	require.NoError(t, err)
	return string(decoded)
}

func write(t *testing.T, file, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
}
