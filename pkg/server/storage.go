package server

import (
	"context"
	"crypto/tls"
	"fmt"
	"slices"

	"k8s.io/apiserver/pkg/server/healthz"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/client-go/util/cert"
)

// applyStorage tells the registry where and how the resources are kept: as v1
// protobuf at PREFIX/RESOURCE/NAME.
func (c *Config) applyStorage(context.Context) error {
	options := *c.options.Etcd
	options.StorageConfig.StorageObjectCountTracker = c.generic.StorageObjectCountTracker
	options.StorageConfig.EncodeVersioner = nil
	if c.options.embeddedEtcd {
		options.StorageConfig.Transport = storagebackend.TransportConfig{ServerList: []string{c.home.etcd.Endpoint()}}
	}
	options.StorageConfig.Transport.TracerProvider = c.generic.TracerProvider
	if err := checkEtcdFiles(options.StorageConfig.Transport); err != nil {
		return err
	}
	factory := serverstorage.NewDefaultStorageFactory(
		options.StorageConfig,
		options.DefaultStorageMediaType,
		c.codecs,
		serverstorage.NewDefaultResourceEncodingConfigForEffectiveVersion(c.scheme, c.generic.EffectiveVersion),
		c.generic.MergedResourceConfig,
		nil,
	)
	if err := options.ApplyWithStorageFactoryTo(factory, c.generic); err != nil {
		if file := options.EncryptionProviderConfigFilepath; file != "" {
			return fmt.Errorf("--encryption-provider-config=%s: %w", file, err)
		}
		return fmt.Errorf("etcd: %w", err)
	}
	c.nameUnreadable()
	// A restart of this server brings no etcd back: without etcd it is not ready,
	// but alive.
	c.generic.LivezChecks = slices.DeleteFunc(c.generic.LivezChecks, func(check healthz.HealthChecker) bool {
		return check.Name() == "etcd"
	})
	return nil
}

// checkEtcdFiles reads the certificates for etcd, of which the library's messages
// name neither flag nor file; some of them it takes for an etcd that does not answer.
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
