package main

import (
	"time"

	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// measureStarts measures the time from the execution of a server to the first
// 200 of its /readyz.
func measureStarts(o *harness.Owner, s settings) []table {
	const external, alone = "Start/etcd=external", "Start/etcd=embedded"
	started := func(benchmark string, by server, start func(*harness.Owner) contender) {
		o.Within(func(o *harness.Owner) {
			s.record(o, benchmark, by, 1, measurement.Values{seconds: start(o).started})
		})
	}
	for round := range s.rounds {
		o.Logf("starts: round %d of %d", round+1, s.rounds)
		started(external, ours, func(o *harness.Owner) contender { return startOurs(o, startEtcd(o)) })
		started(alone, ours, func(o *harness.Owner) contender { return startOurs(o, nil) })
		started(external, theirs, func(o *harness.Owner) contender { return startTheirs(o, startEtcd(o)) })
	}
	embedded := compare("alone, with embedded etcd and certificates", external, seconds, 1)
	embedded.Ours = figure(ours.of(alone), seconds)
	return []table{{
		title: "Start",
		note: "From exec to the first 200 of `/readyz`, asked every 10 ms. kube-apiserver gets existing certificates and a running, " +
			"empty etcd. This server creates its certificates in the measured time; alone it also starts its etcd.",
		rows: []measurement.Comparison{compare("with an empty external etcd", external, seconds, 1.0/3), embedded},
	}}
}

// contender is one running server.
type contender struct {
	started float64 // seconds from exec to ready
	process *harness.Process
	clients func(o *harness.Owner, count int) []*client
	proxies func(o *harness.Owner, count int) []*client // with the certificate of a front proxy; only of startBehind
}

// startEtcd starts an etcd with fsync, as in production.
func startEtcd(o *harness.Owner) *harness.Etcd {
	return harness.StartEtcd(o, harness.EtcdOptions{Fsync: true})
}

// startOurs starts this project's server. Without an etcd it uses the embedded
// one. Both servers authenticate a token; measureCertificates has certificates.
func startOurs(o *harness.Owner, etcd *harness.Etcd, args ...string) contender {
	args = append(args, traffic.Tokens(o, []traffic.Person{traffic.Admin()}))
	server := harness.StartServer(o, harness.ServerOptions{Program: harness.Program(o, binaries.Release), Etcd: etcd, Args: args})
	return contender{
		started: time.Since(server.Process.Started).Seconds(), process: server.Process,
		clients: func(o *harness.Owner, count int) []*client {
			config := rest.AnonymousClientConfig(server.Config(o))
			config.BearerToken = harness.AdminToken
			return newClients(o, config, nil, count)
		},
	}
}

// startTheirs starts a kube-apiserver.
func startTheirs(o *harness.Owner, etcd *harness.Etcd, args ...string) contender {
	server := harness.StartKubeAPIServer(o, harness.KubeAPIServerOptions{Etcd: etcd, Args: args})
	return contender{
		started: time.Since(server.Process.Started).Seconds(), process: server.Process,
		clients: func(o *harness.Owner, count int) []*client { return newClients(o, server.Config(o), nil, count) },
	}
}
