//go:build long

package commands_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/dynamic"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

var update = flag.Bool("update-recordings", false, "write "+recordings)

// TestRecordings compares the table with the requests that kubectl sends to a kube-apiserver.
func TestRecordings(t *testing.T) {
	server := harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{Etcd: harness.StartEtcd(t, harness.EtcdOptions{})})
	client, err := dynamic.NewForConfig(server.Config(t))
	require.NoError(t, err)
	s := &site{recorder: newRecorder(t, server), objects: readObjects(t, client), kubectl: harness.Program(t, binaries.Kubectl)}
	var written strings.Builder
	for _, want := range readRecordings(t) {
		home := t.TempDir() // the second run finds the cached discovery of the first
		got := recording{command: want.command}
		got.present = s.record(t, home, want.command, true)
		got.absent = s.record(t, home, want.command, false)
		fmt.Fprintln(&written, "$", got.command)
		for _, request := range got.present {
			fmt.Fprintln(&written, "+", request)
		}
		for _, request := range got.absent {
			fmt.Fprintln(&written, "-", request)
		}
		if !*update {
			assert.Equal(t, want, got)
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(recordings, []byte(written.String()), 0o600))
	}
	t.Run("the built-in resources equal discovery's", func(t *testing.T) { requireBuiltIn(t, server) })
}

// site is a kube-apiserver behind a recorder, and kubectl.
type site struct {
	recorder *recorder
	objects  *objects
	kubectl  string
}

// record runs a command, and returns its requests.
func (s *site) record(t *testing.T, home, command string, exist bool) []string {
	t.Helper()
	s.objects.removeAll(t)
	if exist {
		s.objects.createAll(t, strings.HasPrefix(command, "delete "))
	} else {
		s.objects.createKept(t)
	}
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	running, end := context.WithCancel(ctx)
	defer end()
	s.recorder.begin(func(name string) {
		if strings.HasSuffix(command, " -w") {
			end()
			return
		}
		s.objects.reach(ctx, name, strings.Contains(command, "--for=delete"))
	}, end)
	arguments := append(strings.Fields(command), "--server="+s.recorder.URL)
	if before, after, found := strings.Cut(command, " -- "); found {
		arguments = append(append(strings.Fields(before), "--server="+s.recorder.URL, "--"), strings.Fields(after)...)
	}
	process := exec.CommandContext(running, s.kubectl, arguments...)
	process.Env = append(os.Environ(), "HOME="+home, "KUBECONFIG="+filepath.Join(home, "none"), "KUBECACHEDIR=", "KUBE_EDITOR="+editor(t, home))
	process.Stdin = strings.NewReader("y\n")
	output, _ := process.CombinedOutput()
	require.NoError(t, ctx.Err(), "%s\n%s", command, output)
	t.Logf("%s, objects exist: %v\n%s", command, exist, output)
	return s.recorder.recorded()
}

// editor returns the path of an editor that changes an annotation.
func editor(t *testing.T, home string) string {
	t.Helper()
	path := filepath.Join(home, "editor")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\nsed -i s/to-be-edited/edited/ \"$1\"\n"), 0o700))
	return path
}
