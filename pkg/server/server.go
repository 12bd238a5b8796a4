package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/apiserver/pkg/server/healthz"
	clientinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/informers/externalversions"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/bootstrap"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/filters"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/identity"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/renewal"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/store"
)

// readinessInterval is the time between two requests of WaitReady: short, as a
// person may be waiting.
const readinessInterval = 50 * time.Millisecond

// Server is a server whose address is bound and whose store is open.
type Server struct {
	config CompletedConfig
	scheme *runtime.Scheme
	codecs serializer.CodecFactory
	// generic is the library's configuration, and apiserver what it makes of it.
	generic   *genericapiserver.Config
	apiserver *genericapiserver.GenericAPIServer

	// data is what is in the data directory, nil if it is not used.
	data *localData
	// kubeAPIServer is the kube-apiserver in front, nil if there is none.
	kubeAPIServer *kubeAPIServer
	// informers have the objects that this server stores in memory.
	informers externalversions.SharedInformerFactory
	// flowControl is the engine, nil if it is disabled.
	flowControl *flowControl
	// store opens the stores of the resources in etcd.
	store *store.Store
	// etcdCheck checks that a read of etcd with a quorum succeeds.
	etcdCheck healthz.HealthChecker
	// revisions notices that etcd lost data, nil if it is embedded.
	revisions *store.Revisions
	// chain has what the filters of this server need.
	chain chainInputs
	// keeper maintains the built-in objects.
	keeper *bootstrap.Keeper
	// certificates renews the certificates of the data directory, and watches others.
	certificates *renewal.Controller
	// metrics are this server's metrics that neither the library nor the engine has.
	metrics *prometheus.Registry
	// kubeconfig is the path of admin.kubeconfig, empty if there is none.
	kubeconfig string
	// ran is whether Run was called, which ends what the library started in New.
	ran       atomic.Bool
	closeOnce sync.Once
	closed    chan struct{} // by Close
}

// chainInputs are what the handler chain needs beside the library's configuration.
type chainInputs struct {
	deprecations  map[string]string
	checkMessages []filters.CheckMessage
}

// New opens a server. The caller calls Close, after Run has returned if it is called.
// What runs in the background before Run ends with ctx or Close. On error nothing
// stays open, unless the embedded etcd fails to start: then the process should end,
// see embedded.StartEtcd.
func New(ctx context.Context, config CompletedConfig) (*Server, error) {
	if errs := config.Validate(); len(errs) > 0 {
		return nil, utilerrors.NewAggregate(errs)
	}
	scheme, err := config.newScheme()
	if err != nil {
		return nil, err
	}
	codecs := serializer.NewCodecFactory(scheme)
	s := &Server{config: config, scheme: scheme, codecs: codecs, generic: genericapiserver.NewConfig(codecs), metrics: prometheus.NewRegistry(), closed: make(chan struct{})}
	if err := s.open(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// newScheme returns a scheme with the types of all groups that are served.
func (c CompletedConfig) newScheme() (*runtime.Scheme, error) {
	scheme := install.NewScheme()
	if !c.LocalIdentity {
		return scheme, nil
	}
	return scheme, identity.AddSelfReviewsToScheme(scheme)
}

// open takes the steps of a start, and each needs the ones before it.
func (s *Server) open(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		// The library's configuration.
		s.applyRun, s.openDataDirectory, s.applyServing, s.applyIdentity, s.applyObservability,
		s.connectKubeAPIServer, s.applyAdmission, s.startEtcd, s.applyStorage, s.applySnapshots, s.applyInformers, s.applyFlowControl,
		s.watchKubeAPIServer, s.applyHandlerChain,
		// The server made of it.
		s.complete, s.writeKubeconfig, s.watchCertificates, s.installMetrics, s.installZPages, s.serveEtcdLiveness, s.installGroupList, s.installAPIGroup, s.installSelfReviews, s.installCoreVersion,
		s.waitForStorage, s.keepBuiltInObjects,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// complete makes the library's server. Complete is called once: a second call would
// add its authenticator a second time.
func (s *Server) complete(context.Context) (err error) {
	var informers clientinformers.SharedInformerFactory
	if s.kubeAPIServer != nil {
		informers = s.kubeAPIServer.informers
	}
	s.generic.EnableDiscovery = false // installGroupList serves it
	s.apiserver, err = s.generic.Complete(informers).New(componentName, genericapiserver.NewEmptyDelegate())
	return err
}

// Run serves until ctx ends, the embedded etcd fails or another loses data, finishes the requests
// under way, and returns. It is called once.
func (s *Server) Run(ctx context.Context) error {
	s.ran.Store(true)
	ctx, cancel := context.WithCancelCause(ctx)
	var background sync.WaitGroup
	defer background.Wait() // Close unlocks the data directory
	defer cancel(nil)
	background.Go(func() { s.certificates.Run(ctx) })
	if s.data != nil && s.data.etcd != nil {
		go func() {
			select {
			case err := <-s.data.etcd.Failed():
				cancel(fmt.Errorf("the embedded etcd stopped: %w", err))
			case <-ctx.Done():
			}
		}()
	}
	if s.revisions != nil {
		go func() {
			select {
			case err := <-s.revisions.Failed():
				cancel(err)
			case <-ctx.Done():
			}
		}()
	}
	err := s.apiserver.PrepareRun().RunWithContext(ctx)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// Close closes the listener and the store, stops the embedded etcd, if there is one,
// and unlocks the data directory. Further calls do nothing.
func (s *Server) Close() {
	s.closeOnce.Do(func() {
		close(s.closed)
		if !s.ran.Load() {
			s.endCertificateProviders()
		}
		if listener := s.config.SecureServing.Listener; listener != nil {
			_ = listener.Close() // an error if Run has closed it
		}
		if s.apiserver != nil {
			s.apiserver.Destroy()
		}
		if s.data != nil {
			s.data.close()
		}
	})
}

// endCertificateProviders ends what providers of certificates have started since they were made. They
// end it only after they ran.
func (s *Server) endCertificateProviders() {
	serving := s.generic.SecureServing
	if serving == nil {
		return
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	providers := []any{serving.Cert, serving.ClientCA}
	for _, named := range serving.SNICerts {
		providers = append(providers, named)
	}
	for _, provider := range providers {
		if runner, ok := provider.(dynamiccertificates.ControllerRunner); ok {
			runner.Run(ended, 1)
		}
	}
}

// URL is where a client on this machine reaches the server.
func (s *Server) URL() string { return s.config.url() }

// KubeconfigPath is the administrator's kubeconfig, empty if there is none because
// a kube-apiserver authenticates.
func (s *Server) KubeconfigPath() string { return s.kubeconfig }

// LoopbackClientConfig returns how this process reaches the server, as
// system:apiserver in the group system:masters.
func (s *Server) LoopbackClientConfig() *rest.Config {
	config := rest.CopyConfig(s.generic.LoopbackClientConfig)
	config.ContentConfig = rest.ContentConfig{}
	return config
}

// WaitReady returns nil once a running server is ready, and the error of ctx if
// that ends before.
func (s *Server) WaitReady(ctx context.Context) error {
	config := s.LoopbackClientConfig()
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	return wait.PollUntilContextCancel(ctx, readinessInterval, true, func(ctx context.Context) (bool, error) {
		return isReady(ctx, client, config.Host), nil
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
