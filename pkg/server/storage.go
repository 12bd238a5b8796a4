package server

import (
	"context"
	"crypto/tls"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/serializer"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/client-go/util/cert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/store"
)

// applyStorage tells the registry where and how objects are stored: as v1 protobuf
// at PREFIX/RESOURCE/NAME.
func (s *Server) applyStorage(context.Context) error {
	options := *s.config.Etcd
	options.StorageConfig.StorageObjectCountTracker = s.generic.StorageObjectCountTracker
	options.StorageConfig.EncodeVersioner = nil
	if s.config.EmbeddedEtcd {
		options.StorageConfig.Transport = storagebackend.TransportConfig{ServerList: []string{s.data.etcd.Endpoint()}}
		options.StorageConfig.CompactionInterval = 0 // etcd compacts
	} else if s.generic.EgressSelector != nil {
		options.StorageConfig.Transport.EgressLookup = s.generic.EgressSelector.Lookup
	}
	options.StorageConfig.Transport.TracerProvider = s.generic.TracerProvider
	if err := checkEtcdFiles(options.StorageConfig.Transport); err != nil {
		return err
	}
	factory := serverstorage.NewDefaultStorageFactory(
		options.StorageConfig,
		options.DefaultStorageMediaType,
		serializer.NewCodecFactory(install.NewStorageScheme()),
		serverstorage.NewDefaultResourceEncodingConfigForEffectiveVersion(s.scheme, s.generic.EffectiveVersion),
		s.generic.MergedResourceConfig,
		nil,
	)
	options.SkipHealthEndpoints = true // checkStore adds them
	if err := options.ApplyWithStorageFactoryTo(factory, s.generic); err != nil {
		if file := options.EncryptionProviderConfigFilepath; file != "" {
			return fmt.Errorf("--encryption-provider-config=%s: %w", file, err)
		}
		return fmt.Errorf("etcd: %w", err)
	}
	remedy := store.ExternalRemedy
	if s.config.EmbeddedEtcd {
		remedy = store.EmbeddedRemedy
	}
	s.store = store.New(s.generic.RESTOptionsGetter, &options, remedy)
	s.generic.RESTOptionsGetter = s.store
	store.MonitorSize(factory)
	return s.checkStore(options.StorageConfig)
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
