package watchmodel_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/scheme"
)

const (
	flowSchemas    = "flowschemas"
	priorityLevels = "prioritylevelconfigurations"

	group   = "flowcontrol.apiserver.k8s.io"
	v1      = "v1"
	v1beta3 = "v1beta3"

	jsonType  = "application/json"
	protobuf  = "application/vnd.kubernetes.protobuf"
	applyType = "application/apply-patch+yaml"
)

// clients creates clients of the administrator.
type clients struct{ config *rest.Config }

// options distinguish the clients.
type options struct {
	version     string
	contentType string
	// lines, if set, tracks the connections of the client.
	lines *lines
	// narrow limits how far the client reads ahead: no HTTP/2, small buffers.
	narrow bool
}

func (c *clients) new(o options) (*rest.RESTClient, error) {
	config := rest.CopyConfig(c.config)
	config.APIPath = "/apis"
	config.GroupVersion = &schema.GroupVersion{Group: group, Version: o.version}
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	config.ContentType = o.contentType
	config.AcceptContentTypes = o.contentType
	config.WarningHandler = rest.NoWarnings{} // that v1beta3 is deprecated
	if o.lines != nil {
		o.lines.narrow = o.narrow
		config.Dial = o.lines.dial
	}
	if o.narrow {
		config.NextProtos = []string{"http/1.1"}
	}
	return rest.RESTClientFor(config)
}

// lines are open connections that can be cut.
type lines struct {
	narrow bool
	mutex  sync.Mutex
	open   []net.Conn // guarded by mutex
}

func (l *lines) dial(ctx context.Context, network, address string) (net.Conn, error) {
	var dialer net.Dialer
	if l.narrow {
		dialer.Control = keepLittle
	}
	connection, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.open = append(l.open, connection)
	return connection, nil
}

// keepLittle limits the unread data that both ends buffer: buffers grow with the
// size of segments, which is large on the loopback. The options must be set before
// the connection is established.
func keepLittle(_, _ string, connection syscall.RawConn) error {
	var buffer, segment error
	controlled := connection.Control(func(descriptor uintptr) {
		buffer = syscall.SetsockoptInt(int(descriptor), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 32<<10)
		segment = syscall.SetsockoptInt(int(descriptor), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, 1<<10)
	})
	return errors.Join(controlled, buffer, segment)
}

// cut closes all connections.
func (l *lines) cut() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, connection := range l.open {
		_ = connection.Close()
	}
	l.open = nil
}

// progress counts writes. Others can wait for a count.
type progress struct {
	mutex    sync.Mutex
	changed  *sync.Cond
	count    int  // guarded by mutex
	finished bool // guarded by mutex: the count is final
}

func newProgress() *progress {
	p := &progress{}
	p.changed = sync.NewCond(&p.mutex)
	return p
}

func (p *progress) add() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.count++
	p.changed.Broadcast()
}

func (p *progress) finish() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.finished = true
	p.changed.Broadcast()
}

func (p *progress) now() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.count
}

// wait returns when the count is reached, or when the count is final.
func (p *progress) wait(count int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for p.count < count && !p.finished {
		p.changed.Wait()
	}
}

// outage makes clients whose request failed wait until the server is available.
type outage struct {
	mutex sync.Mutex
	over  chan struct{} // guarded by mutex; closed while the server is available
}

func newOutage() *outage {
	o := &outage{over: make(chan struct{})}
	close(o.over)
	return o
}

func (o *outage) begin() {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.over = make(chan struct{})
}

func (o *outage) end() {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	close(o.over)
}

func (o *outage) wait(ctx context.Context) {
	o.mutex.Lock()
	over := o.over
	o.mutex.Unlock()
	select {
	case <-over:
	case <-ctx.Done():
	}
}

// past records which versions may have expired.
type past struct {
	// compacted is the revision that etcd is, or will be, compacted to.
	compacted atomic.Int64
	// restarted is the first revision since which the restarted server has seen all changes.
	restarted atomic.Int64
	// keptUntil is the time until which the restarted server must keep all changes
	// that it has seen.
	keptUntil atomic.Pointer[time.Time]
}
