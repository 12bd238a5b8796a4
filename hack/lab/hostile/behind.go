package hostile

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// StartBehind starts a kube-apiserver, and this project's server behind it, which asks it
// about every user. Both know the users.
func StartBehind(t harness.TB) (ours, theirs *Server, err error) {
	dir, err := writeUsers(t)
	if err != nil {
		return nil, nil, err
	}
	etcd := harness.StartEtcd(t, harness.EtcdOptions{})
	k := harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{Etcd: etcd, Args: []string{"--token-auth-file=" + filepath.Join(dir, "tokens.csv"), "-v=0"}})
	k.Kubectl(t).Run(t, "apply", "-f", filepath.Join(dir, "rbac.yaml"))
	if theirs, err = beside(t, k); err != nil {
		return nil, nil, err
	}
	serving := k.ClientCA.Server(t, "flowcontrol-apiserver")
	s := harness.StartServer(t, harness.ServerOptions{Etcd: etcd, Args: []string{
		"--kubeconfig=" + k.Kubeconfig, "--etcd-prefix=/behind", "--tls-cert-file=" + serving.CertFile, "--tls-private-key-file=" + serving.KeyFile, "-v=0",
	}})
	ca, err := os.ReadFile(k.ClientCA.CertFile)
	if err != nil {
		return nil, nil, err
	}
	return &Server{Name: "this server", URL: s.URL, Process: s.Process, ca: ca, roots: k.ClientCA.Pool()}, theirs, nil
}

// Ask sends requests of the mouse, each about another object, so that no earlier answer says
// whether it may read it. The object does not exist; only a user who may read learns this.
func (s *Server) Ask(ctx context.Context, count int, label string) (Reading, error) {
	var reading Reading
	client := s.client(false)
	defer client.CloseIdleConnections()
	for i := range count {
		begin := time.Now()
		status, err := s.send(ctx, client, message{method: http.MethodGet, path: fmt.Sprintf("%s/%s-%d", schemas, label, i), token: mouse})
		took := time.Since(begin)
		if err == nil && status != http.StatusNotFound {
			err = fmt.Errorf("question %d of %d: answered %d, must be 404", i, count, status)
		}
		if err != nil {
			return reading, err
		}
		reading.Latencies = append(reading.Latencies, took)
		pause(ctx, pace)
	}
	return reading, nil
}
