package registration

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// patience is how long something may take on a slow machine.
const patience = 5 * time.Minute

// testRestarts starts both servers again. Each start is also a round of both
// keepers of the built-in objects, that of kube-apiserver and ours, and of both
// controllers that write the status: that no version of an object changes shows
// that none of them undoes what another does.
func testRestarts(t *testing.T, s *site) {
	s.kubectl.RunInput(t, manifest("v1", "survivor"), "apply", "-f", "-")
	s.wait(t, "flowschemas", "--all", "--for=condition=Dangling=False")
	// What one of them has written, others may be about to write as well: replicas
	// are done with that when they end, kube-apiserver long before they are back.
	s.kill(t)
	s.waitBoth(t)
	before := s.waitVersions(t)
	for _, restart := range []struct {
		name string
		do   func(*testing.T, *site)
	}{
		{"kube-apiserver", func(t *testing.T, s *site) {
			t.Helper()
			s.restartKubeAPIServer(t)
		}},
		{"this server", func(t *testing.T, s *site) {
			t.Helper()
			s.kill(t)
		}},
		{"both, kube-apiserver first", func(t *testing.T, s *site) {
			t.Helper()
			release := s.Node.Hold(cluster.ServerPods)
			s.kill(t)
			s.KubeAPIServer.Kill(t)
			s.launchKubeAPIServer()
			s.waitAnswering(t)
			release()
		}},
		{"both, this server first", func(t *testing.T, s *site) {
			t.Helper()
			s.KubeAPIServer.Kill(t)
			s.kill(t)
			s.waitLaunched(t)
			s.launchKubeAPIServer()
		}},
	} {
		t.Run(restart.name, func(t *testing.T) {
			restart.do(t, s)
			started := time.Now()
			s.waitBoth(t)
			t.Logf("after %v", time.Since(started).Round(time.Millisecond))
			s.waitUnchanged(t, before)
			for _, version := range []string{"v1", "v1beta3"} {
				s.waitWritable(t, version)
			}
		})
	}
}

// waitBoth waits until both servers are ready and pass requests on.
func (s *site) waitBoth(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, s.KubeAPIServer.WaitReady(ctx))
	s.Servers(t, replicas)
	s.waitAvailable(t)
}

// versions are the resource versions of all objects.
func (s *site) versions(t *testing.T) (string, error) {
	t.Helper()
	read := s.kubectl.Try(t, "", "get", "flowschemas,prioritylevelconfigurations", "--no-headers",
		"-o", "custom-columns=KIND:.kind,NAME:.metadata.name,UID:.metadata.uid,VERSION:.metadata.resourceVersion")
	if read.ExitCode != 0 {
		return "", errors.New(read.Stderr)
	}
	return read.Stdout, nil
}

// waitVersions reads the resource versions, again if need be: the aggregator may
// notice that all replicas were away when they are back already, and then answers
// 503 for a moment.
func (s *site) waitVersions(t *testing.T) (versions string) {
	t.Helper()
	cluster.Eventually(t, "all objects are read", func(context.Context) (err error) {
		versions, err = s.versions(t)
		return err
	})
	return versions
}

// waitUnchanged reads the resource versions, again if need be for the same reason. A
// version that was left never comes back.
func (s *site) waitUnchanged(t *testing.T, before string) {
	t.Helper()
	cluster.Eventually(t, "all objects are as before", func(context.Context) error {
		now, err := s.versions(t)
		if err == nil && now != before {
			err = fmt.Errorf("before:\n%s\nnow:\n%s", before, now)
		}
		return err
	})
}

// waitWritable makes and deletes an object, for the same reason more than once.
func (s *site) waitWritable(t *testing.T, version string) {
	t.Helper()
	cluster.Eventually(t, version+" can be written", func(context.Context) error {
		if applied := s.kubectl.Try(t, manifest(version, "after"), "apply", "-f", "-"); applied.ExitCode != 0 {
			return errors.New(applied.Stderr)
		}
		if deleted := s.kubectl.Try(t, "", "delete", schemas(version), "after"); deleted.ExitCode != 0 {
			return errors.New(deleted.Stderr)
		}
		return nil
	})
}

// restartKubeAPIServer kills it: stopped gently, it would wait a minute for those
// who watch.
func (s *site) restartKubeAPIServer(t *testing.T) {
	t.Helper()
	s.KubeAPIServer.Kill(t)
	s.launchKubeAPIServer()
}

func (s *site) launchKubeAPIServer() {
	s.KubeAPIServer.Launch(s.owner)
	s.owner.Cleanup(func() { s.KubeAPIServer.Kill(s.owner) })
}

// kill ends the server's processes, without mercy.
func (s *site) kill(t *testing.T) {
	t.Helper()
	for _, pod := range s.Servers(t, replicas) {
		pod.Process().Kill(t)
	}
}

// waitAnswering waits until kube-apiserver answers, ready or not.
func (s *site) waitAnswering(t *testing.T) {
	t.Helper()
	cluster.Eventually(t, "kube-apiserver answers", func(ctx context.Context) error {
		answer, err := s.try(ctx, "/api/v1/namespaces/default")
		return errors.Join(err, answer.unless(http.StatusOK))
	})
}

// waitLaunched waits until the server's processes run again, ready or not.
func (s *site) waitLaunched(t *testing.T) {
	t.Helper()
	cluster.Eventually(t, "the processes are started again", func(context.Context) error {
		for _, pod := range s.Node.Pods(cluster.ServerPods) {
			select {
			case <-pod.Process().Done():
				return errors.New("one is not")
			default:
			}
		}
		return nil
	})
}
