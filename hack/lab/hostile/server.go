package hostile

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// Users of a server, each named as their token.
const (
	// admin may do everything. The harness asks kube-apiserver under this name.
	admin = harness.AdminToken
	// mouse may read flow schemas.
	mouse = "mouse"
	// writer may do everything with flow schemas.
	writer = "writer"
	// stranger may do nothing.
	stranger = "stranger"
	// proxy may impersonate users.
	proxy = "proxy"
)

const (
	base    = "/apis/flowcontrol.apiserver.k8s.io/v1"
	schemas = base + "/flowschemas"
	levels  = base + "/prioritylevelconfigurations"
)

// permissions are ClusterRoles and their bindings.
const permissions = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: mouse}
rules: [{apiGroups: [flowcontrol.apiserver.k8s.io], resources: [flowschemas], verbs: [get, list, watch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: writer}
rules: [{apiGroups: [flowcontrol.apiserver.k8s.io], resources: [flowschemas], verbs: ["*"]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: proxy}
rules: [{apiGroups: [""], resources: [users], verbs: [impersonate]}]
`

// Server is a server under attack.
type Server struct {
	Name    string
	URL     string
	Process *harness.Process

	roots         *x509.CertPool
	administrator tls.Certificate
	// certificates are the clients' certificates.
	certificates []tls.Certificate
}

// asAdministrator returns the server for clients with the administrator's certificate.
func (s *Server) asAdministrator() *Server {
	as := *s
	as.certificates = []tls.Certificate{s.administrator}
	return &as
}

// StartOurs starts this project's server on an etcd of its own. It knows the users.
func StartOurs(t harness.TB) (*Server, error) {
	dir, err := writeUsers(t)
	if err != nil {
		return nil, err
	}
	etcd := harness.StartEtcd(t, harness.EtcdOptions{})
	s := harness.StartServer(t, harness.ServerOptions{Etcd: etcd, Args: []string{
		"--token-auth-file=" + filepath.Join(dir, "tokens.csv"), "--authorization-rbac-file=" + filepath.Join(dir, "rbac.yaml"), "-v=0",
	}})
	return newServer("this server", s.URL, s.Process, s.Config(t))
}

// StartTheirs starts a kube-apiserver on an etcd of its own. It knows the users.
func StartTheirs(t harness.TB) (*Server, error) {
	dir, err := writeUsers(t)
	if err != nil {
		return nil, err
	}
	k := harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{
		Etcd: harness.StartEtcd(t, harness.EtcdOptions{}), Args: []string{"--token-auth-file=" + filepath.Join(dir, "tokens.csv"), "-v=0"},
	})
	k.Kubectl(t).Run(t, "apply", "-f", filepath.Join(dir, "rbac.yaml"))
	config := k.Config(t)
	pair := k.ClientCA.Client(t, admin, "system:masters")
	config.CertFile, config.KeyFile = pair.CertFile, pair.KeyFile
	return newServer("kube-apiserver", k.URL, k.Process, config)
}

func newServer(name, url string, process *harness.Process, config *rest.Config) (*Server, error) {
	if err := rest.LoadTLSFiles(config); err != nil {
		return nil, err
	}
	s := &Server{Name: name, URL: url, Process: process, roots: x509.NewCertPool()}
	if !s.roots.AppendCertsFromPEM(config.CAData) {
		return nil, fmt.Errorf("%s: no certificate of a CA", name)
	}
	var err error
	s.administrator, err = tls.X509KeyPair(config.CertData, config.KeyData)
	return s, err
}

// writeUsers writes the files of users and permissions into a directory.
func writeUsers(t harness.TB) (dir string, err error) {
	dir = t.TempDir()
	tokens := []string{admin + ",admin,admin,system:masters\n"}
	roles := []string{strings.TrimSpace(permissions)}
	for _, name := range []string{mouse, writer, stranger, proxy} {
		tokens = append(tokens, fmt.Sprintf("%[1]s,%[1]s,%[1]s\n", name))
		if name == stranger {
			continue
		}
		roles = append(roles, fmt.Sprintf("\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: %[1]s}\n"+
			"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %[1]s}\n"+
			"subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: %[1]s}]\n", name))
	}
	if err := os.WriteFile(filepath.Join(dir, "tokens.csv"), []byte(strings.Join(tokens, "")), 0o600); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "rbac.yaml"), []byte(strings.Join(roles, "")), 0o600)
}

// host is the address of the server.
func (s *Server) host() string {
	parsed, err := url.Parse(s.URL)
	if err != nil {
		return s.URL
	}
	return parsed.Host
}

// dial connects, and speaks the first of these protocols that the server knows; without
// any, HTTP/1.1.
func (s *Server) dial(ctx context.Context, protocols ...string) (net.Conn, error) {
	dialer := tls.Dialer{Config: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: s.roots, Certificates: s.certificates, NextProtos: protocols}}
	return dialer.DialContext(ctx, "tcp", s.host())
}

// client returns a client with connections of its own, of HTTP/2 unless http1 is set.
// The caller closes its idle connections.
func (s *Server) client(http1 bool) *http.Client {
	protocols := &http.Protocols{}
	protocols.SetHTTP1(http1)
	protocols.SetHTTP2(!http1)
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: s.roots}, Protocols: protocols,
		DisableCompression: true, MaxIdleConnsPerHost: 100,
	}}
}
