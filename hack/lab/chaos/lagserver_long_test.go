//go:build long

package chaos_test

import (
	"fmt"
	"sync/atomic"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const elephants, mice = 50, 6

// lagServer is a kind of lagServer.
type lagServer struct {
	name string
	// prefix begins its keys in etcd.
	prefix string
	start  func(o *harness.Owner, etcd []string) (*harness.Process, *traffic.Target)
}

func lagServers() []lagServer {
	const own, kubernetes = "/registry/flowcontrol.apiserver.k8s.io", "/registry"
	return []lagServer{
		{"this server", own, startOurs},
		{"kube-apiserver 1.33", kubernetes, startKubernetes(binaries.KubeAPIServer)},
		{"kube-apiserver 1.33 with pkg/apf", kubernetes, startKubernetes(binaries.ReplacedKubeAPIServer(binaries.KubernetesVersion))},
	}
}

// people are the users.
func people() []traffic.Person {
	all := []traffic.Person{{Name: "witness", Group: "mice"}}
	for i := range mice {
		all = append(all, traffic.Person{Name: traffic.NameOfMouse(i), Group: "mice"})
	}
	for i := range elephants {
		all = append(all, traffic.Person{Name: nameOfElephant(i), Group: "system:serviceaccounts"})
	}
	return all
}

func nameOfElephant(i int) string { return fmt.Sprintf("elephant-%d", i) }

func startOurs(o *harness.Owner, etcd []string) (*harness.Process, *traffic.Target) {
	server, target := traffic.StartServer(o, harness.ServerOptions{Args: etcd}, people(), traffic.Backend{})
	return server.Process, target
}

// startKubernetes starts the kube-apiserver that build builds.
func startKubernetes(build binaries.Build) func(*harness.Owner, []string) (*harness.Process, *traffic.Target) {
	return func(o *harness.Owner, etcd []string) (*harness.Process, *traffic.Target) {
		tokens := traffic.Tokens(o, append(people(), traffic.Admin()))
		k := harness.StartKubeAPIServer(o, harness.KubeAPIServerOptions{
			Program: harness.Program(o, build), Args: append(etcd, tokens, "--authorization-mode=AlwaysAllow"),
		})
		target, err := traffic.NewTarget(k.Kubeconfig)
		o.Check(err)
		return k.Process, target
	}
}

// lagSite is a server under test.
type lagSite struct {
	o       *harness.Owner
	etcd    *harness.Etcd
	proxy   *traffic.EtcdProxy
	process *harness.Process
	target  *traffic.Target
	server  lagServer
	size    int

	limit  float64 // of resident memory in bytes
	killed atomic.Bool
}

func newLagSite(o *harness.Owner, s lagSettings, of lagServer) *lagSite {
	etcd := harness.StartEtcd(o, harness.EtcdOptions{Args: []string{"--quota-backend-bytes=2000000000"}})
	o.Check(traffic.Fill(o.Context(), etcd.Client(o), of.prefix, s.objects, s.size))
	l := &lagSite{o: o, etcd: etcd, proxy: traffic.StartEtcdProxy(o, etcd.URL), server: of, size: s.size, limit: s.limit}
	l.process, l.target = of.start(o, []string{"--etcd-servers=" + l.proxy.URL})
	return l
}
