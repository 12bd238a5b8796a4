package app

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apiserver/pkg/server/healthz"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
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
	factory := serverstorage.NewDefaultStorageFactory(
		options.StorageConfig,
		options.DefaultStorageMediaType,
		c.codecs,
		serverstorage.NewDefaultResourceEncodingConfigForEffectiveVersion(c.scheme, c.generic.EffectiveVersion),
		c.generic.MergedResourceConfig,
		nil,
	)
	if err := options.ApplyWithStorageFactoryTo(factory, c.generic); err != nil {
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
