package judges

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
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

	anonymous     *rest.Config
	target        *traffic.Target
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
func StartOurs(t harness.TB) *Server {
	t.Helper()
	tokens, rights := users(t)
	s := harness.StartServer(t, harness.ServerOptions{
		Etcd: harness.StartEtcd(t, harness.EtcdOptions{}), Args: []string{tokens, "--authorization-rbac-file=" + rights, "-v=0"},
	})
	return newServer(t, "this server", s.Process, s.Config(t))
}

func newServer(t harness.TB, name string, process *harness.Process, config *rest.Config) *Server {
	t.Helper()
	s := &Server{Name: name, URL: config.Host, Process: process, anonymous: rest.AnonymousClientConfig(config), roots: x509.NewCertPool()}
	err := rest.LoadTLSFiles(config)
	if err == nil {
		s.administrator, err = tls.X509KeyPair(config.CertData, config.KeyData)
	}
	if err != nil || !s.roots.AppendCertsFromPEM(config.CAData) {
		t.Fatalf("%s: the certificates of the administrator and of the CA: %v", name, err)
	}
	s.target, err = traffic.TargetOf(s.anonymous)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	t.Cleanup(s.target.Close)
	return s
}

// users returns the flag with which a server knows the users, and the file of their permissions.
func users(t harness.TB) (tokens, rights string) {
	t.Helper()
	people, roles := []traffic.Person{traffic.Admin()}, permissions
	for _, name := range []string{mouse, writer, stranger, proxy} {
		people = append(people, traffic.Person{Name: name, Group: name})
		if name == stranger {
			continue
		}
		roles += fmt.Sprintf("---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: %[1]s}\n"+
			"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %[1]s}\n"+
			"subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: %[1]s}]\n", name)
	}
	rights = filepath.Join(t.TempDir(), "rbac.yaml")
	if err := os.WriteFile(rights, []byte(roles), 0o600); err != nil {
		t.Fatalf("writing permissions: %v", err)
	}
	return traffic.Tokens(t, people), rights
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
