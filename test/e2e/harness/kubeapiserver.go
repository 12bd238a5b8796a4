package harness

import (
	"path/filepath"
	"slices"
	"strconv"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

// AdminToken is the bearer token of a member of system:masters, with which the harness asks
// kube-apiserver whether it is ready. A token file that replaces the harness's has it too.
const AdminToken = "test-admin-token"

// KubeAPIServerOptions configures a kube-apiserver process.
type KubeAPIServerOptions struct {
	// Etcd is its store; nil: Args name it.
	Etcd *Etcd
	// Program is the path of the binary; empty: the supported release's.
	Program string
	// Args are additional flags. They override the harness's.
	Args []string
	// Env is added to the environment.
	Env []string
}

// KubeAPIServer is a kube-apiserver process with RBAC, service account tokens
// and the front proxy that an aggregated API server needs.
type KubeAPIServer struct {
	APIServer
	// ClientCA signs the client certificates that it accepts, and its serving
	// certificate.
	ClientCA *CA
	// FrontProxyCA signs the client certificate that it uses to proxy requests.
	FrontProxyCA *CA
	// ServiceAccountKey is the path of the key that signs service account tokens.
	ServiceAccountKey string

	options KubeAPIServerOptions
	path    string
	port    int
	args    []string
}

// StartKubeAPIServer starts a kube-apiserver and waits until it is ready.
func StartKubeAPIServer(t TB, options KubeAPIServerOptions) *KubeAPIServer {
	t.Helper()
	path := options.Program
	if path == "" {
		path = Program(t, binaries.KubeAPIServer)
	}
	k := &KubeAPIServer{
		ClientCA:     NewCA(t, "client-ca"),
		FrontProxyCA: NewCA(t, "front-proxy-ca"),
		options:      options,
		path:         path,
	}
	k.token, k.command = AdminToken, k.processCommand
	k.prepare(t, t.TempDir())
	k.port = ports.Free(t, 1)[0]
	k.URL = "https://" + ports.Loopback(k.port)
	k.Kubeconfig = k.KubeconfigOf(t, AdminToken)
	k.Start(t)
	return k
}

// prepare writes kube-apiserver's files and sets the flags that name them.
func (k *KubeAPIServer) prepare(t TB, dir string) {
	t.Helper()
	k.ServiceAccountKey = filepath.Join(dir, "service-account.key")
	writeKey(t, k.ServiceAccountKey, newKey(t))
	tokens := filepath.Join(dir, "tokens.csv")
	writeFile(t, tokens, []byte(AdminToken+",admin,admin,system:masters\n"))

	const frontProxy = "front-proxy-client"
	serving := k.ClientCA.Server(t, "kube-apiserver")
	proxy := k.FrontProxyCA.Client(t, frontProxy)
	k.args = []string{
		"--bind-address=127.0.0.1",
		"--tls-cert-file=" + serving.CertFile,
		"--tls-private-key-file=" + serving.KeyFile,
		"--client-ca-file=" + k.ClientCA.CertFile,
		"--token-auth-file=" + tokens,
		"--authorization-mode=Node,RBAC",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + k.ServiceAccountKey,
		"--service-account-signing-key-file=" + k.ServiceAccountKey,
		"--service-cluster-ip-range=10.0.0.0/24",
		"--enable-bootstrap-token-auth=true",
		"--requestheader-client-ca-file=" + k.FrontProxyCA.CertFile,
		"--requestheader-allowed-names=" + frontProxy,
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + proxy.CertFile,
		"--proxy-client-key-file=" + proxy.KeyFile,
	}
}

// KubeconfigOf writes a kubeconfig with a bearer token, and returns its path.
func (k *KubeAPIServer) KubeconfigOf(t TB, token string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "kubeconfig")
	if err := k.WriteKubeconfig(path, token); err != nil {
		t.Fatalf("writing %s: %v", path, err)
	}
	return path
}

// WriteKubeconfig is KubeconfigOf for goroutines other than the test's, and for a path.
func (k *KubeAPIServer) WriteKubeconfig(path, token string) error {
	const name = "test"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: k.URL, CertificateAuthority: k.ClientCA.CertFile}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	return clientcmd.WriteToFile(*config, path)
}

func (k *KubeAPIServer) processCommand(t TB) Command {
	t.Helper()
	args := slices.Concat([]string{"--secure-port=" + strconv.Itoa(k.port)}, k.args)
	if k.options.Etcd != nil {
		args = append(args, k.options.Etcd.ServerArgs(t)...)
	}
	args = append(args, k.options.Args...)
	return Command{Path: k.path, Args: args, Env: k.options.Env}
}
