package server

import (
	"context"
	"time"

	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

const (
	// etcdStartTimeout bounds how long the embedded etcd reads its data.
	etcdStartTimeout = time.Minute
	// etcdCloseTimeout bounds how long it closes its files. What it acknowledged is
	// on disk before that.
	etcdCloseTimeout = 10 * time.Second
)

// dataDirectory is the data directory and its certificates.
type dataDirectory struct {
	*embedded.DataDirectory                        // nil if nothing is kept in it
	certificates            *embedded.Certificates // empty if kube-apiserver authenticates
}

// openDataDirectory locks the data directory and issues missing certificates.
func openDataDirectory(c CompletedConfig) (data dataDirectory, err error) {
	data.certificates = &embedded.Certificates{}
	if !c.usesDataDir() {
		return data, nil
	}
	if data.DataDirectory, err = embedded.OpenDataDirectory(c.DataDir); err != nil || !c.LocalIdentity {
		return data, err
	}
	*data.certificates, err = embedded.EnsureCertificates(data.DataDirectory, servingNames(c), c.Clock.Now)
	if err != nil {
		return data, err
	}
	for _, renewal := range data.certificates.Renewals {
		klog.InfoS("Issued certificate", "file", renewal.File, "reason", renewal.Reason, "expires", renewal.NotAfter.UTC().Format(time.RFC3339))
	}
	return data, nil
}

// close unlocks the directory.
func (d dataDirectory) close() error {
	if d.DataDirectory == nil {
		return nil
	}
	return d.Close()
}

// servingNames are the names and addresses of this server, except the loopback's.
func servingNames(c CompletedConfig) []string {
	names := []string{c.SecureServing.BindAddress.String(), c.Run.AdvertiseAddress.String()}
	if host := c.Run.ExternalHost; host != "" {
		names = append(names, host)
	}
	return names
}

// startEtcd starts the embedded etcd, and returns nil if an etcd is named.
func startEtcd(ctx context.Context, c CompletedConfig, data dataDirectory) (*embedded.Etcd, error) {
	if !c.EmbeddedEtcd {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, etcdStartTimeout)
	defer cancel()
	return embedded.StartEtcd(ctx, data.DataDirectory, embedded.EtcdOptions{
		Log:        klog.Background().WithName("etcd"),
		QuotaBytes: c.Store.QuotaBytes,
		// etcd also compacts while it rejects writes, when k8s.io/apiserver cannot.
		CompactionInterval: c.Etcd.StorageConfig.CompactionInterval,
	})
}

// closeEtcd stops the embedded etcd, if there is one.
func closeEtcd(etcd *embedded.Etcd) error {
	if etcd == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), etcdCloseTimeout)
	defer cancel()
	return etcd.Close(ctx)
}
