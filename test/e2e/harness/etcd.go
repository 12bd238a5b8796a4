package harness

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

// EtcdOptions configures an etcd process; the zero value uses plain HTTP.
type EtcdOptions struct {
	// CA, if set, makes etcd serve TLS with a certificate of this CA and require
	// client certificates of it.
	CA *CA
	// Fsync makes etcd wait for the disk at each write. Crashes of etcd and
	// benchmarks need it. Other tests do not: the kernel keeps what a killed process
	// has written.
	Fsync bool
	// Args are further flags.
	Args []string
}

// Etcd is an etcd process of one member with a separate data directory.
type Etcd struct {
	// URL is where clients reach etcd. It does not change on restart.
	URL string
	// Process is the running process, or the last one.
	Process *Process

	options   EtcdOptions
	path      string // of the binary
	args      []string
	healthURL string
	dataDir   string
}

// StartEtcd starts an etcd on an empty data directory and waits until it is healthy.
func StartEtcd(t TB, options EtcdOptions) *Etcd {
	t.Helper()
	scheme, security := "http", []string(nil)
	if ca := options.CA; ca != nil {
		serving := ca.Server(t, "etcd")
		scheme, security = "https", []string{"--cert-file=" + serving.CertFile, "--key-file=" + serving.KeyFile,
			"--trusted-ca-file=" + ca.CertFile, "--client-cert-auth"}
	}
	free := ports.Free(t, 3)
	e := &Etcd{options: options, path: Program(t, binaries.Etcd), URL: scheme + "://" + ports.Loopback(free[0]), healthURL: "http://" + ports.Loopback(free[2])}
	e.dataDir = filepath.Join(ShortDir(t), "data")
	const name = "test"
	peer := "http://" + ports.Loopback(free[1])
	e.args = slices.Concat(e.memberArgs(name, peer, peer, name+"="+peer), security, options.Args)
	if !options.Fsync {
		// A single member does not wait for the votes of others.
		e.args = append(e.args, "--unsafe-no-fsync", "--heartbeat-interval=10", "--election-timeout=50")
	}
	e.Start(t)
	return e
}

// CA returns the CA that signs client certificates, or nil if clients need none.
func (e *Etcd) CA() *CA { return e.options.CA }

// Start restarts etcd, after Stop or Kill, on the same data and ports, and waits
// until it is healthy.
func (e *Etcd) Start(t TB) {
	t.Helper()
	e.Launch(t)
	await(t, e.WaitHealthy)
}

// Launch is Start without waiting.
func (e *Etcd) Launch(t TB) {
	t.Helper()
	e.Process = StartProcess(t, Command{Path: e.path, Args: e.args})
}

// memberArgs are the flags of a member with this name. It listens on a URL for its
// peers, and they reach it at another, or the same. cluster is the list of
// NAME=ADVERTISED of all members.
func (e *Etcd) memberArgs(name, listens, advertised, cluster string) []string {
	return []string{
		"--name=" + name,
		"--data-dir=" + e.dataDir,
		"--listen-client-urls=" + e.URL,
		"--advertise-client-urls=" + e.URL,
		"--listen-peer-urls=" + listens,
		"--initial-advertise-peer-urls=" + advertised,
		"--initial-cluster=" + cluster,
		"--listen-metrics-urls=" + e.healthURL,
		"--log-level=warn",
	}
}

// Stop ends etcd with SIGTERM.
func (e *Etcd) Stop(t TB) {
	t.Helper()
	e.Process.Stop(t)
}

// Kill ends etcd with SIGKILL.
func (e *Etcd) Kill(t TB) {
	t.Helper()
	e.Process.Kill(t)
}

// WaitHealthy waits until /health answers 200.
func (e *Etcd) WaitHealthy(ctx context.Context) error {
	probe := newProbe(e.healthURL+"/health", "")
	return e.Process.poll(ctx, "health", probe.ok)
}

// Client returns a client of this etcd, closed when the test ends.
func (e *Etcd) Client(t TB) *clientv3.Client {
	t.Helper()
	config := clientv3.Config{Endpoints: []string{e.URL}, DialTimeout: 10 * time.Second}
	if e.options.CA != nil {
		config.TLS = e.options.CA.clientTLS(t)
	}
	client, err := clientv3.New(config)
	if err != nil {
		t.Fatalf("making a client of %s: %v", e.URL, err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// ServerArgs returns the flags for an API server, this project's or kube-apiserver, to use this
// etcd.
func (e *Etcd) ServerArgs(t TB) []string {
	t.Helper()
	args := []string{"--etcd-servers=" + e.URL}
	if ca := e.options.CA; ca != nil {
		client := ca.Client(t, "apiserver")
		args = append(args, "--etcd-cafile="+ca.CertFile, "--etcd-certfile="+client.CertFile, "--etcd-keyfile="+client.KeyFile)
	}
	return args
}
