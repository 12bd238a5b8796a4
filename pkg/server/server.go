package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/renewal"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/store"
)

// readinessInterval is the time between two requests of WaitReady: short, as a
// person may be waiting.
const readinessInterval = 50 * time.Millisecond

// Server is a server whose address is bound and whose store is open.
type Server struct {
	apiserver *genericapiserver.GenericAPIServer
	serving   serving
	// flowControl is the engine, nil if it is disabled.
	flowControl *flowControl
	// certificates renews the certificates of the data directory, and watches others.
	certificates *renewal.Controller
	// kubeconfig is the path of admin.kubeconfig, empty if there is none.
	kubeconfig string
	// etcdFailed delivers why the embedded etcd stopped, and dataLost that another lost data. Each is
	// nil without its etcd.
	etcdFailed, dataLost <-chan error

	// ran is whether Run was called, which ends what the library started in New.
	ran       atomic.Bool
	closeOnce sync.Once
	// closers close what New opened, the last one first.
	closers []func() error
}

// New opens a server. The caller calls Close, after Run has returned if it is called.
// What runs in the background before Run ends with ctx or Close. On error nothing
// stays open, unless the embedded etcd fails to start: then the process should end,
// see embedded.StartEtcd.
func New(ctx context.Context, config CompletedConfig) (*Server, error) {
	if errs := config.Validate(); len(errs) > 0 {
		return nil, utilerrors.NewAggregate(errs)
	}
	s := &Server{}
	if err := s.open(ctx, config); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// open makes the parts of the server, each of what it needs of those before it.
func (s *Server) open(ctx context.Context, c CompletedConfig) error {
	ctx, cancel := context.WithCancel(ctx)
	s.onClose(func() error { cancel(); return nil })
	if listener := c.SecureServing.Listener; listener != nil {
		s.onClose(func() error { _ = listener.Close(); return nil })
	}
	c, err := c.advertised()
	if err != nil {
		return err
	}
	data, err := openDataDirectory(c)
	s.onClose(data.close)
	if err != nil {
		return err
	}
	if s.serving, err = bind(c, data); err != nil {
		return err
	}
	s.onClose(func() error { s.serving.close(s.ran.Load()); return nil })
	generic, err := newGenericConfig(ctx, c, data, s.serving)
	if err != nil {
		return err
	}
	front, err := connectKubeAPIServer(c, generic)
	if err != nil {
		return err
	}
	etcd, err := startEtcd(ctx, c, data)
	if err != nil {
		return err
	}
	if etcd != nil {
		s.onClose(func() error { return closeEtcd(etcd) })
		s.etcdFailed = etcd.Failed()
	}
	return s.build(c, data, generic, front, etcd)
}

// build makes the parts that use the store, and the library's server of all.
func (s *Server) build(c CompletedConfig, data dataDirectory, generic *genericapiserver.Config, front *kubeAPIServer, etcd *embedded.Etcd) error {
	own, err := newOwnObjects(generic)
	if err != nil {
		return err
	}
	stored, err := openStore(c, generic, etcd, own)
	if err != nil {
		return err
	}
	s.onClose(stored.close)
	if stored.revisions != nil {
		s.dataLost = stored.revisions.Failed()
	}
	if s.flowControl, err = newFlowControl(c, generic, own, stored.Reads()); err != nil {
		return err
	}
	monitor, err := newMonitor(c, generic, front)
	if err != nil {
		return err
	}
	certificate, err := newServingCertificate(c, generic, front)
	if err != nil {
		return err
	}
	keeper, err := newKeeper(c, generic, own, newEvents(c, front, own, s.flowControl))
	if err != nil {
		return err
	}
	collectors, err := takeSnapshots(c, generic, data, etcd)
	if err != nil {
		return err
	}
	addFilters(!c.LocalIdentity, generic, addReadyzChecks(c, generic, stored, s.flowControl, monitor, certificate, keeper))
	// Complete is called once: a second call would add its authenticator a second time.
	if s.apiserver, err = generic.Complete(front.sharedInformers()).New(componentName, genericapiserver.NewEmptyDelegate()); err != nil {
		return err
	}
	s.onClose(func() error { s.apiserver.Destroy(); return nil })
	if s.certificates, s.kubeconfig, err = newCertificates(c, data, s.serving); err != nil {
		return err
	}
	collectors = append(collectors, s.certificates, store.Availability(stored.available), keeper.Metrics())
	if monitor != nil {
		collectors = append(collectors, monitor.Metrics())
	}
	if err := installMetrics(s.apiserver, s.flowControl, collectors); err != nil {
		return err
	}
	return installAPI(c, s.apiserver, generic, own, stored)
}

// onClose adds what Close does, before all that was added before.
func (s *Server) onClose(closer func() error) { s.closers = append(s.closers, closer) }

// Run serves until ctx ends, the embedded etcd fails or another loses data, finishes the requests
// under way, and returns. It is called once.
func (s *Server) Run(ctx context.Context) error {
	s.ran.Store(true)
	ctx, cancel := context.WithCancelCause(ctx)
	var background sync.WaitGroup
	defer background.Wait() // Close unlocks the data directory
	defer cancel(nil)
	background.Go(func() { s.certificates.Run(ctx) })
	go func() {
		select {
		case err := <-s.etcdFailed:
			cancel(fmt.Errorf("the embedded etcd stopped: %w", err))
		case err := <-s.dataLost:
			cancel(err)
		case <-ctx.Done():
		}
	}()
	err := s.apiserver.PrepareRun().RunWithContext(ctx)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// Close closes the store, stops the embedded etcd, if there is one, closes the listener and unlocks
// the data directory. Further calls do nothing. If etcd does not stop, the lock is kept: the end of
// the process releases both.
func (s *Server) Close() {
	s.closeOnce.Do(func() {
		for _, closer := range slices.Backward(s.closers) {
			if err := closer(); err != nil {
				klog.ErrorS(err, "Failed to close the server; the end of the process closes the rest")
				return
			}
		}
	})
}

// URL is where a client on this machine reaches the server.
func (s *Server) URL() string { return s.serving.url }

// KubeconfigPath is the administrator's kubeconfig, empty if there is none because
// a kube-apiserver authenticates.
func (s *Server) KubeconfigPath() string { return s.kubeconfig }

// LoopbackClientConfig returns how this process reaches the server, as
// system:apiserver in the group system:masters.
func (s *Server) LoopbackClientConfig() *rest.Config {
	config := rest.CopyConfig(s.serving.loopback)
	config.ContentConfig = rest.ContentConfig{}
	return config
}

// WaitReady returns nil once a running server is ready, and the error of ctx if
// that ends before.
func (s *Server) WaitReady(ctx context.Context) error { return waitReady(ctx, s.serving.loopback) }

func waitReady(ctx context.Context, loopback *rest.Config) error {
	client, err := rest.HTTPClientFor(loopback)
	if err != nil {
		return err
	}
	return wait.PollUntilContextCancel(ctx, readinessInterval, true, func(ctx context.Context) (bool, error) {
		return isReady(ctx, client, loopback.Host), nil
	})
}

func isReady(ctx context.Context, client *http.Client, host string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, host+"/readyz", nil)
	if err != nil {
		return false
	}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	defer func() { _ = response.Body.Close() }()
	return response.StatusCode == http.StatusOK
}
