package traffic

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

// maxMessage is the largest message in bytes.
const maxMessage = 1 << 30

// EtcdProxy is a proxy in front of an etcd that makes it slow, or keeps back what its watches report. It passes
// the messages of gRPC on without decoding them.
type EtcdProxy struct {
	// URL is where servers reach it.
	URL string
	// Wait, unless nil, is called before each read and write. Set it before the first.
	Wait func()

	delay atomic.Int64 // nanoseconds
	read  atomic.Int64 // bytes

	mu   sync.Mutex    // guards what follows
	held chan struct{} // closed when watches report again; nil while they do
}

// StartEtcdProxy starts a proxy in front of the etcd at a URL, until the owner ends.
func StartEtcdProxy(t harness.TB, etcd string) *EtcdProxy {
	t.Helper()
	reconnect := backoff.DefaultConfig
	reconnect.MaxDelay = time.Second // after a restart of etcd
	direct, err := grpc.NewClient(strings.TrimPrefix(etcd, "http://"), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: reconnect}),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{}), grpc.MaxCallRecvMsgSize(maxMessage)))
	if err != nil {
		t.Fatalf("a client of etcd: %v", err)
	}
	p := &EtcdProxy{Wait: func() {}}
	pings := keepalive.EnforcementPolicy{MinTime: time.Second, PermitWithoutStream: true}
	server := grpc.NewServer(grpc.ForceServerCodecV2(raw{}), grpc.MaxRecvMsgSize(maxMessage), grpc.KeepaliveEnforcementPolicy(pings), grpc.UnknownServiceHandler(func(_ any, client grpc.ServerStream) error {
		method, _ := grpc.MethodFromServerStream(client)
		if isKV(method) {
			p.Wait()
			p.linger(client.Context())
		}
		return forward(client, direct, method, p.passerOf(method))
	}))
	listener := ports.Listen(t)
	p.URL = "http://" + listener.Addr().String()
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() {
		p.HoldWatches(false)
		server.Stop()
		_ = direct.Close()
	})
	return p
}

// SetDelay makes etcd answer each read and write, and report each event, so much later.
func (p *EtcdProxy) SetDelay(d time.Duration) { p.delay.Store(int64(d)) }

// HoldWatches keeps back what watches report, or reports what was kept back.
func (p *EtcdProxy) HoldWatches(hold bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case hold && p.held == nil:
		p.held = make(chan struct{})
	case !hold && p.held != nil:
		close(p.held)
		p.held = nil
	}
}

// Read returns how many bytes etcd has answered to reads and writes.
func (p *EtcdProxy) Read() int64 { return p.read.Load() }

// isKV reports whether a method reads or writes.
func isKV(method string) bool { return strings.HasPrefix(method, "/etcdserverpb.KV/") }

// passerOf returns what each answer of a method passes.
func (p *EtcdProxy) passerOf(method string) func(ctx context.Context, bytes int) {
	switch {
	case isKV(method):
		return func(_ context.Context, bytes int) { p.read.Add(int64(bytes)) }
	case strings.HasPrefix(method, "/etcdserverpb.Watch/"):
		return func(ctx context.Context, _ int) {
			p.awaitWatches(ctx)
			p.linger(ctx)
		}
	default:
		return func(context.Context, int) {}
	}
}

// linger waits for the delay.
func (p *EtcdProxy) linger(ctx context.Context) {
	if d := time.Duration(p.delay.Load()); d > 0 {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
	}
}

func (p *EtcdProxy) awaitWatches(ctx context.Context) {
	p.mu.Lock()
	held := p.held
	p.mu.Unlock()
	if held == nil {
		return
	}
	select {
	case <-held:
	case <-ctx.Done():
	}
}
