package main

import (
	"fmt"
	"time"

	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// frontProxyName is the name of kube-apiserver's client certificate for aggregated servers.
const frontProxyName = "front-proxy-client"

// measureCertificates measures gets of clients with certificates: an administrator's, and a front
// proxy's, which kube-apiserver sends for each request to a registered server. This server is behind
// the kube-apiserver, and so has its CA bundles.
func measureCertificates(o *harness.Owner, s settings) []table {
	result := table{
		title: "Gets by client certificates",
		note: "JSON over HTTP/2, one connection for each client. The front proxy's requests name an administrator in headers. " +
			"This server is registered behind the kube-apiserver beside it. Processor time is user and system time of the server.",
	}
	if s.beside != "" {
		result.columns = [2]string{"this build", "the build beside it"}
	}
	o.Within(func(o *harness.Owner) {
		etcds := [2]*harness.Etcd{startEtcd(o), startEtcd(o)}
		fill(o, etcds, population)
		kube := harness.StartKubeAPIServer(o, harness.KubeAPIServerOptions{Etcd: etcds[theirs], Args: []string{"--etcd-prefix=" + storePrefix}})
		servers := [2]contender{startBehind(o, kube, etcds[ours], harness.Program(o, binaries.Release)), behind(o, kube.APIServer, kube)}
		if s.beside != "" {
			servers[theirs] = startBehind(o, kube, etcds[ours], s.beside)
		}
		for _, by := range []struct {
			name  string
			proxy bool
		}{{"an administrator's", false}, {"the front proxy's", true}} {
			clients := [2][]*client{servers[ours].clients(o, manyClients), servers[theirs].clients(o, manyClients)}
			if by.proxy {
				clients = [2][]*client{servers[ours].proxies(o, manyClients), servers[theirs].proxies(o, manyClients)}
			}
			for _, count := range []int{1, manyClients} {
				o.Logf("certificates: gets by %s through %d", by.name, count)
				benchmark := fmt.Sprintf("Certificates/by=%s/clients=%d", by.name, count)
				s.measureTurns(o, benchmark, servers, [2][]*client{clients[ours][:count], clients[theirs][:count]}, operations()[0])
				what := fmt.Sprintf("%s, %d clients, ", by.name, count)
				result.rows = append(result.rows,
					compare(what+"requests", benchmark, measurement.PerSecond, 1.25),
					compare(what+"p99", benchmark, p99, 1),
					compare(what+"processor time", benchmark, processor, 0.7))
			}
		}
	})
	return []table{result}
}

// startBehind starts a build of this server behind a kube-apiserver.
func startBehind(o *harness.Owner, kube *harness.KubeAPIServer, etcd *harness.Etcd, program string) contender {
	serving := kube.ClientCA.Server(o, "flowcontrol-apiserver")
	server := harness.StartServer(o, harness.ServerOptions{Program: program, Etcd: etcd, Args: []string{
		"--etcd-prefix=" + storePrefix, "--kubeconfig=" + kube.Kubeconfig, "--tls-cert-file=" + serving.CertFile, "--tls-private-key-file=" + serving.KeyFile,
	}})
	return behind(o, server.APIServer, kube)
}

// behind returns a server that knows the CA bundles of a kube-apiserver.
func behind(o *harness.Owner, server harness.APIServer, kube *harness.KubeAPIServer) contender {
	with := func(pair harness.Pair, header map[string]string) func(*harness.Owner, int) []*client {
		config := &rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{
			CAFile: kube.ClientCA.CertFile, CertFile: pair.CertFile, KeyFile: pair.KeyFile,
		}}
		return func(o *harness.Owner, count int) []*client { return newClients(o, config, header, count) }
	}
	return contender{
		started: time.Since(server.Process.Started).Seconds(), process: server.Process,
		clients: with(kube.ClientCA.Client(o, "admin", user.SystemPrivilegedGroup), nil),
		proxies: with(kube.FrontProxyCA.Client(o, frontProxyName), map[string]string{"X-Remote-User": "admin", "X-Remote-Group": user.SystemPrivilegedGroup}),
	}
}
