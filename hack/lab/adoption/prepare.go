package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

// prepareOperator starts KEDA's metrics service.
func prepareOperator(l *site) {
	ca := harness.NewCA(l.o, "keda")
	pair := ca.Server(l.o, "keda-operator")
	for name, path := range map[string]string{"ca.crt": ca.CertFile, "tls.crt": pair.CertFile, "tls.key": pair.KeyFile} {
		content, err := os.ReadFile(path)
		l.o.Check(err)
		l.o.Check(os.WriteFile(filepath.Join(l.dir, name), content, 0o600))
	}
	m, err := l.server.module()
	l.o.Check(err)
	address := ports.Loopback(ports.Free(l.o, 1)[0])
	harness.StartProcess(l.o, harness.Command{Path: m.path("operator"), Args: []string{"-address", address, "-cert-dir", l.dir, "-monitoring", l.monitoring()}})
	l.args = append(l.args, "--lister-kubeconfig="+l.kubeconfig, "--metrics-service-address="+address)
}

const definition = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "things.adoption.example.com"},
	"spec": {"group": "adoption.example.com", "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"}, "versions": [
		{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]}}`

// fillCustomResources defines a resource and makes the objects that are read.
func fillCustomResources(l *site) {
	token := l.administrator()
	l.create(token, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
	for _, name := range []string{"mouse", "elephant"} {
		l.create(token, "/apis/adoption.example.com/v1/namespaces/"+namespace+"/things",
			fmt.Sprintf(`{"apiVersion": "adoption.example.com/v1", "kind": "Thing", "metadata": {"name": %q}}`, name))
	}
}

// administrator returns the token of a service account that may do everything.
func (l *site) administrator() string {
	const name = "administrator"
	l.bind("cluster-admin", rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name})
	return l.account(namespace, name)
}

// create makes an object at the server itself.
func (l *site) create(token, path, body string) {
	failures := eventually.Within(l.o.Context(), func(a *eventually.Attempt) {
		reply, err := l.send(a.Context(), http.MethodPost, path, body, "Authorization: Bearer "+token)
		require.NoError(a, err)
		require.Contains(a, []int{http.StatusCreated, http.StatusConflict}, reply.Code, "%s", reply.Body)
	})
	if failures != "" {
		l.o.Fatalf("making an object at %s: %s", path, failures)
	}
}

// send sends a request to the server itself.
func (l *site) send(ctx context.Context, method, path, body string, headers ...string) (harness.Reply, error) {
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	return harness.Send(ctx, client, method, "https://"+ports.Loopback(l.port)+path, body, headers...)
}
