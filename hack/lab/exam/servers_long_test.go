//go:build long

package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

var update = flag.Bool("update-exam", false, "write the tables into docs/exam.md")

// seats is the limit of the level of the exam's users. Their reads wait for an etcd that serves more at once, so neither it nor the
// processors are the bottleneck.
const seats = 20

// readers are the permissions of the exam's users on a server that has no namespaces.
const readers = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: exam}
rules: [{apiGroups: [flowcontrol.apiserver.k8s.io], resources: [flowschemas], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: exam}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: exam}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: apf-exam-users}]
`

// TestServersHaveTheSameMarksEachTime examines kube-apiserver of two releases, kube-apiserver with pkg/apf and this
// server three times each. A server takes six minutes.
func TestServersHaveTheSameMarksEachTime(t *testing.T) {
	args := func(etcd string) []string {
		return []string{"--etcd-servers=" + etcd, fmt.Sprintf("--max-requests-inflight=%d", 2*seats), "--max-mutating-requests-inflight=0"}
	}
	kubernetes := func(build binaries.Build) func(t *testing.T, etcd string) *harness.APIServer {
		return func(t *testing.T, etcd string) *harness.APIServer {
			t.Helper()
			return &harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{Program: harness.Program(t, build), Args: args(etcd)}).APIServer
		}
	}
	servers := map[string]func(t *testing.T, etcd string) *harness.APIServer{
		"kube-apiserver":              kubernetes(binaries.KubeAPIServer),
		"kube-apiserver 1.37":         kubernetes(binaries.KubeAPIServerOf(binaries.LatestKubernetesVersion)),
		"kube-apiserver with pkg/apf": kubernetes(binaries.ReplacedKubeAPIServer(binaries.KubernetesVersion)),
		"this server": func(t *testing.T, etcd string) *harness.APIServer {
			t.Helper()
			file := filepath.Join(t.TempDir(), "rbac.yaml")
			require.NoError(t, os.WriteFile(file, []byte(readers), 0o600))
			return &harness.StartServer(t, harness.ServerOptions{Args: append(args(etcd),
				"--authorization-rbac-file="+file, "--flow-control-tenants=service-account-namespaces")}).APIServer
		},
	}
	var reports []report
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		t.Run(name, func(t *testing.T) {
			var slow atomic.Bool
			proxy := traffic.StartEtcdProxy(t, harness.StartEtcd(t, harness.EtcdOptions{}).URL)
			serve := traffic.Backend{Places: 2 * seats, Takes: takes}.Slow() // seats, and what the server reads for itself
			proxy.Wait = func() {
				if slow.Load() {
					serve()
				}
			}
			server := servers[name](t, proxy.URL)
			server.Kubectl(t).RunInput(t, halfOfTheSeats("exam", "exam", 50, usersGroup), "apply", "-f", "-")
			server.Kubectl(t).Run(t, "wait", "--for=condition=Dangling=False", "flowschema/exam")
			last := examineServer(t, server, &slow)
			first := last.marks()
			for range 2 {
				last = examineServer(t, server, &slow)
				assert.Equal(t, first, last.marks(), "the marks are the same in each run")
			}
			assert.Equal(t, good, first[besideText(oneElephant)])
			assert.Equal(t, good, first[obeyText])
			last.Server = name
			reports = append(reports, last)
		})
	}
	if *update && !t.Failed() && len(reports) == len(servers) {
		require.NoError(t, measurement.Publish("make exam-servers", "exam-servers", filepath.Join("docs", "exam.md"), compared(reports)))
	}
}

// examineServer takes an exam while etcd is slow.
func examineServer(t *testing.T, server *harness.APIServer, slow *atomic.Bool) report {
	t.Helper()
	p := plan{rate: rate, probe: "/livez", late: 3 * time.Second}
	config := server.Config(t)
	place, err := prepare(t.Context(), config, &p)
	defer func() { assert.NoError(t, place.remove(t.Context())) }()
	require.NoError(t, err)
	p.heavy = p.get
	target, err := traffic.TargetOf(config)
	require.NoError(t, err)
	defer target.Close()
	slow.Store(true)
	defer slow.Store(false)
	taken, err := p.take(t.Context(), target, func(scene string) { t.Log(time.Now().Format(time.TimeOnly), scene) })
	require.NoError(t, err)
	r := reportOf(server.URL, p, taken)
	t.Log("\n" + r.table())
	return r
}
