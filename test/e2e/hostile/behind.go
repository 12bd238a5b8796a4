package hostile

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"sync/atomic"
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
	if theirs, err = newServer("kube-apiserver", k.URL, k.Process, k.Config(t)); err != nil {
		return nil, nil, err
	}
	serving := k.ClientCA.Server(t, "flowcontrol-apiserver")
	s := harness.StartServer(t, harness.ServerOptions{Etcd: etcd, Args: []string{
		"--kubeconfig=" + k.Kubeconfig, "--etcd-prefix=/behind", "--tls-cert-file=" + serving.CertFile, "--tls-private-key-file=" + serving.KeyFile, "-v=0",
	}})
	return &Server{Name: "this server", URL: s.URL, Process: s.Process, roots: k.ClientCA.Pool()}, theirs, nil
}

// Flood is what clients send that nobody knows, each stream one request after the other.
type Flood struct {
	Name    string
	message func(i int) message
}

// Floods returns all of them. The first is none.
func Floods() []Flood {
	return []Flood{
		{Name: "none"},
		{"anonymous, `Impersonate-User` of another user each time", func(i int) message {
			return message{method: http.MethodGet, path: schemas, headers: map[string]string{"Impersonate-User": fmt.Sprintf("user-%d", i)}}
		}},
		{"anonymous, another path each time", func(i int) message { return message{method: http.MethodGet, path: fmt.Sprintf("/path-%d", i)} }},
		{"another token each time", func(i int) message {
			return message{method: http.MethodGet, path: schemas, token: fmt.Sprintf("token-%d", i)}
		}},
	}
}

// floodRequests bounds the requests of a flood.
const floodRequests = 500_000

// run sends the flood on streams until ctx ends, and counts the answers.
func (f Flood) run(ctx context.Context, s *Server, streams int, tally *Tally) {
	if f.message == nil {
		return
	}
	client := s.client(false)
	defer client.CloseIdleConnections()
	var sent atomic.Int64
	inParallel(context.WithoutCancel(ctx), streams, streams, func(int) {
		for ctx.Err() == nil {
			i := int(sent.Add(1))
			if i > floodRequests {
				return
			}
			if status, err := s.send(ctx, client, f.message(i)); ctx.Err() == nil {
				tally.addStatus(status, err)
			}
		}
	})
}

// Ask sends requests of the mouse, each about another object, so that no earlier answer
// says whether it may read it. There is no such object, which only who may read is told.
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

// Under returns what Ask got while a flood of that many streams reached the server, once
// many of its requests were answered.
func (f Flood) Under(ctx context.Context, s *Server, streams, count int, tally *Tally) (Reading, error) {
	flooding, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.run(flooding, s, streams, tally)
	}()
	defer func() {
		stop()
		<-ended
	}()
	if f.message != nil {
		if err := tally.await(ctx, streams); err != nil {
			return Reading{}, err
		}
	}
	return s.Ask(ctx, count, "question")
}
