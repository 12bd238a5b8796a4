//go:build long

package chaos_test

import (
	"flag"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

var updateLag = flag.Bool("update-lag", false, "measure what a lagging watch cache does, and write it into docs/evidence/reliability.md")

const (
	lagObjects, lagSize = 10_000, 1_000 // FlowSchemas, and bytes of each
	lagLasts            = 20 * time.Second
	elephants, mice     = 50, 6
	pace                = 100 * time.Millisecond // between two gets of a mouse
	paused, late        = 5 * time.Second, 500 * time.Millisecond
)

// TestLag measures what a watch cache that lags behind etcd does to a server: this project's, kube-apiserver, and
// kube-apiserver with pkg/apf. The load runs on a server without a fault, and on another under it: the peak of the one
// must not contain what the load of the other has left in memory. Each server has an etcd and a proxy of its own. A
// server takes a minute for each fault; without -update-lag there are this server and one fault.
func TestLag(t *testing.T) {
	faults, servers := lagFaults(), lagServers()
	if !*updateLag {
		faults, servers = faults[:1], servers[:1]
	}
	text := fmt.Sprintf(lagHead, runtime.NumCPU(), lagObjects, lagSize, elephants, lagLasts, mice)
	require.NoError(t, harness.Own(t.Context(), func(o *harness.Owner) {
		for _, fault := range faults {
			for i, server := range servers {
				var without, with lagPhase
				o.Within(func(o *harness.Owner) { without = server.load(o, func(*harness.Etcd, *traffic.EtcdProxy) {}) })
				o.Within(func(o *harness.Owner) {
					with = server.load(o, func(etcd *harness.Etcd, proxy *traffic.EtcdProxy) { fault.begin(o, etcd, proxy) })
				})
				text += lagRow(fault.name, server.name, without, with)
				if i == 0 {
					require.Positive(t, with.lists.Served())
					require.Less(t, with.etcd, 3*without.etcd, "lists share reads of etcd")
				}
			}
		}
	}))
	t.Log(text)
	if *updateLag {
		require.NoError(t, measurement.Publish("make lag", "lag", "docs/evidence/reliability.md", text))
	}
}

// lagFault is what is wrong with etcd.
type lagFault struct {
	name  string
	begin func(o *harness.Owner, etcd *harness.Etcd, proxy *traffic.EtcdProxy)
}

func lagFaults() []lagFault {
	return []lagFault{
		{"watches report nothing", func(_ *harness.Owner, _ *harness.Etcd, proxy *traffic.EtcdProxy) { proxy.HoldWatches(true) }},
		{"paused 5 s, then 500 ms late", func(o *harness.Owner, etcd *harness.Etcd, proxy *traffic.EtcdProxy) {
			etcd.Process.Pause(o)
			proxy.SetDelay(late)
			o.Cleanup(func() { etcd.Process.Resume() })
			time.AfterFunc(paused, etcd.Process.Resume)
		}},
	}
}

// lagServer is a server under test. prefix begins its keys in etcd.
type lagServer struct {
	name, prefix string
	start        func(o *harness.Owner, etcd string) (*harness.Process, *traffic.Target)
}

func lagServers() []lagServer {
	kubernetes := func(build binaries.Build) func(*harness.Owner, string) (*harness.Process, *traffic.Target) {
		return func(o *harness.Owner, etcd string) (*harness.Process, *traffic.Target) {
			tokens := traffic.Tokens(o, append(people(), traffic.Admin()))
			k := harness.StartKubeAPIServer(o, harness.KubeAPIServerOptions{
				Program: harness.Program(o, build), Args: []string{etcd, tokens, "--authorization-mode=AlwaysAllow"},
			})
			target, err := traffic.NewTarget(k.Kubeconfig)
			o.Check(err)
			return k.Process, target
		}
	}
	return []lagServer{
		{"this server", storePrefix, func(o *harness.Owner, etcd string) (*harness.Process, *traffic.Target) {
			server, target := traffic.StartServer(o, harness.ServerOptions{Args: []string{etcd}}, people(), traffic.Backend{})
			return server.Process, target
		}},
		{"kube-apiserver 1.33", "/registry", kubernetes(binaries.KubeAPIServer)},
		{"kube-apiserver 1.33 with pkg/apf", "/registry", kubernetes(binaries.ReplacedKubeAPIServer(binaries.KubernetesVersion))},
	}
}

// people are the users.
func people() (all []traffic.Person) {
	for i := range mice {
		all = append(all, traffic.Person{Name: traffic.NameOfMouse(i), Group: "mice"})
	}
	for i := range elephants {
		all = append(all, traffic.Person{Name: nameOfElephant(i), Group: "system:serviceaccounts"})
	}
	return all
}

func nameOfElephant(i int) string { return fmt.Sprintf("elephant-%d", i) }

// lagPhase is the load for a while: the peaks of resident memory of server and etcd in bytes, and what etcd sent.
type lagPhase struct {
	peak, etcd  float64
	read        int64
	lists, gets measurement.Samples
}

// load starts a server, begins a fault, and sends the lists of the elephants and the gets of the mice.
func (s lagServer) load(o *harness.Owner, begin func(*harness.Etcd, *traffic.EtcdProxy)) (p lagPhase) {
	etcd := harness.StartEtcd(o, harness.EtcdOptions{Args: []string{"--quota-backend-bytes=2000000000"}})
	o.Check(traffic.Fill(o.Context(), etcd.Client(o), s.prefix, lagObjects, lagSize))
	proxy := traffic.StartEtcdProxy(o, etcd.URL)
	process, target := s.start(o, "--etcd-servers="+proxy.URL)
	begin(etcd, proxy)
	for _, pid := range []int{process.PID(), etcd.Process.PID()} {
		o.Check(measurement.ResetPeak(pid))
	}
	before := proxy.Read()
	samples, err := traffic.Load{Flows: []traffic.Flow{
		{Name: "lists", Users: traffic.Tokened(elephants, nameOfElephant), Ask: traffic.Get(collection), For: lagLasts, Patience: traffic.Timeout},
		{Name: "gets", Users: traffic.Tokened(mice, traffic.NameOfMouse), Every: pace, Ask: traffic.Get(collection + "/catch-all"), For: lagLasts, Patience: traffic.Timeout},
	}}.Run(o.Context(), target)
	o.Check(err)
	p.lists, p.gets, p.read = samples.Of("lists"), samples.Of("gets"), proxy.Read()-before
	p.peak, err = measurement.ProcessMemory(process.PID(), "VmHWM")
	o.Check(err)
	p.etcd, err = measurement.ProcessMemory(etcd.Process.PID(), "VmHWM")
	o.Check(err)
	return p
}

const lagHead = `## When the watch cache lags

Written by ` + "`make lag`" + ` on a machine with %d processors. %d FlowSchemas of %d bytes. %d users list all of them, of the
latest state, without pause, for %v without a fault and as long under it. %d others get one object ten times a
second. *Peak* is resident memory, relative to the peak without the fault. *Read* is what etcd sent. *Gets* is their
p99.

| fault | server | lists served, rejected, failed | peak | of etcd | read | gets |
|---|---|---:|---:|---:|---:|---:|
`

func lagRow(fault, server string, without, with lagPhase) string {
	failed, _ := with.lists.Failed()
	p99 := func(p lagPhase) time.Duration { return p.gets.Quantile(0.99).Round(time.Millisecond) }
	memory := func(with, without float64) string { return fmt.Sprintf("%.0f MiB, %.2f", with/(1<<20), with/without) }
	return measurement.Row{
		fault, server, fmt.Sprintf("%d, %d, %d (without: %d)", with.lists.Served(), with.lists.Rejected(), failed, without.lists.Served()),
		memory(with.peak, without.peak), memory(with.etcd, without.etcd), fmt.Sprintf("%.0f MB", float64(with.read)/1e6),
		fmt.Sprintf("%v (without: %v)", p99(with), p99(without)),
	}.String()
}
