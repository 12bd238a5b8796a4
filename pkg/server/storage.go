package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime/serializer"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/util/cert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	informers "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/informers/externalversions/flowcontrol/v1"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/store"
)

// stored is where the objects are stored, and what is known about it.
type stored struct {
	*store.Store
	// available checks that a read of etcd with a quorum succeeds, and ready that the server may
	// begin to use it.
	available, ready healthz.HealthChecker
	// revisions notices that etcd lost data. It is nil if etcd is embedded, part of the process, and
	// restored only while it does not run.
	revisions *store.Revisions
	// stopped is closed by close.
	stopped chan struct{}
}

// close ends the checks.
func (s *stored) close() error {
	close(s.stopped)
	return nil
}

// openStore tells the registry where and how objects are stored: as v1 protobuf at
// PREFIX/RESOURCE/NAME.
func openStore(c CompletedConfig, generic *genericapiserver.Config, etcd *embedded.Etcd, informers informers.Interface) (*stored, error) {
	options, remedy := *c.Etcd, store.ExternalRemedy
	options.StorageConfig.StorageObjectCountTracker = generic.StorageObjectCountTracker
	options.StorageConfig.EncodeVersioner = nil
	if etcd != nil {
		options.StorageConfig.Transport = storagebackend.TransportConfig{ServerList: []string{etcd.Endpoint()}}
		options.StorageConfig.CompactionInterval = 0 // etcd compacts
		remedy = store.EmbeddedRemedy
	} else if generic.EgressSelector != nil {
		options.StorageConfig.Transport.EgressLookup = generic.EgressSelector.Lookup
	}
	options.StorageConfig.Transport.TracerProvider = generic.TracerProvider
	if err := checkEtcdFiles(options.StorageConfig.Transport); err != nil {
		return nil, err
	}
	stores := serverstorage.NewDefaultStorageFactory(
		options.StorageConfig,
		options.DefaultStorageMediaType,
		serializer.NewCodecFactory(install.NewStorageScheme()),
		serverstorage.NewDefaultResourceEncodingConfigForEffectiveVersion(c.scheme, generic.EffectiveVersion),
		generic.MergedResourceConfig,
		nil,
	)
	options.SkipHealthEndpoints = true // check makes them
	if err := options.ApplyWithStorageFactoryTo(stores, generic); err != nil {
		if file := options.EncryptionProviderConfigFilepath; file != "" {
			return nil, fmt.Errorf("--encryption-provider-config=%s: %w", file, err)
		}
		return nil, fmt.Errorf("etcd: %w", err)
	}
	store.MonitorSize(options.StorageConfig)
	s := &stored{Store: store.New(generic.RESTOptionsGetter, &options, remedy), stopped: make(chan struct{})}
	generic.RESTOptionsGetter = s.Store
	if err := s.check(options.StorageConfig, generic); err != nil {
		return nil, errors.Join(fmt.Errorf("etcd: %w", err), s.close())
	}
	if etcd != nil {
		return s, nil
	}
	s.revisions = store.NewRevisions(s.Store)
	return s, generic.AddPostStartHook("etcd-revisions", func(hook genericapiserver.PostStartHookContext) error {
		go s.revisions.Run(hook, informers.FlowSchemas().Informer().LastSyncResourceVersion, informers.PriorityLevelConfigurations().Informer().LastSyncResourceVersion)
		return nil
	})
}

// check makes the library's checks of etcd. Without etcd the server is not ready, but live: a restart
// would not help.
func (s *stored) check(config storagebackend.Config, generic *genericapiserver.Config) error {
	healthy, err := factory.CreateHealthCheck(config, s.stopped)
	if err != nil {
		return err
	}
	ready, err := factory.CreateReadyCheck(config, s.stopped)
	if err != nil {
		return err
	}
	s.available = healthz.NamedCheck(etcdCheck, func(*http.Request) error { return healthy() })
	s.ready = healthz.NamedCheck("etcd-readiness", func(*http.Request) error { return ready() })
	generic.HealthzChecks = append(generic.HealthzChecks, s.available)
	return nil
}

// checkEtcdFiles reads the certificates for etcd. The library's errors name neither
// flag nor file, or say that etcd does not respond.
func checkEtcdFiles(transport storagebackend.TransportConfig) error {
	if file := transport.TrustedCAFile; file != "" {
		if _, err := cert.CertsFromFile(file); err != nil {
			return fmt.Errorf("--etcd-cafile=%s: must be a readable file of PEM certificates: %w", file, err)
		}
	}
	if file := transport.CertFile; file != "" {
		if _, err := tls.LoadX509KeyPair(file, transport.KeyFile); err != nil {
			return fmt.Errorf("--etcd-certfile=%s, --etcd-keyfile=%s: must be readable PEM files of a certificate and its key: %w", file, transport.KeyFile, err)
		}
	}
	return nil
}
