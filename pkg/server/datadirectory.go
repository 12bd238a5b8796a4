package server

import (
	"context"
	"time"

	genericoptions "k8s.io/apiserver/pkg/server/options"
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

// localData is the data directory and what is in it.
type localData struct {
	dir          *embedded.DataDirectory
	certificates *embedded.Certificates // nil if kube-apiserver authenticates
	etcd         *embedded.Etcd         // nil if an etcd is named
}

// openDataDirectory locks the data directory and issues missing certificates.
func (s *Server) openDataDirectory(context.Context) error {
	if !s.config.usesDataDir() {
		return nil
	}
	dir, err := embedded.OpenDataDirectory(s.config.DataDir)
	if err != nil {
		return err
	}
	s.data = &localData{dir: dir}
	if !s.config.LocalIdentity {
		return nil
	}
	certificates, err := embedded.EnsureCertificates(dir, s.servingNames(), s.config.Clock.Now)
	if err != nil {
		return err
	}
	for _, renewal := range certificates.Renewals {
		klog.InfoS("Issued certificate", "file", renewal.File, "reason", renewal.Reason, "expires", renewal.NotAfter.UTC().Format(time.RFC3339))
	}
	s.data.certificates = &certificates
	return nil
}

// servingNames are the names and addresses of this server, except the loopback's.
func (s *Server) servingNames() []string {
	names := []string{s.config.SecureServing.BindAddress.String(), s.config.Run.AdvertiseAddress.String()}
	if host := s.config.Run.ExternalHost; host != "" {
		names = append(names, host)
	}
	return names
}

// startEtcd starts the embedded etcd, unless an etcd is named.
func (s *Server) startEtcd(ctx context.Context) (err error) {
	if !s.config.EmbeddedEtcd {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, etcdStartTimeout)
	defer cancel()
	s.data.etcd, err = embedded.StartEtcd(ctx, s.data.dir, embedded.EtcdOptions{
		Log:        klog.Background().WithName("etcd"),
		QuotaBytes: s.config.Store.QuotaBytes,
		// etcd also compacts while it rejects writes, when k8s.io/apiserver cannot.
		CompactionInterval: s.config.Etcd.StorageConfig.CompactionInterval,
	})
	return err
}

// close stops etcd and unlocks the directory. If etcd does not stop, the lock is
// kept: the end of the process releases both.
func (d *localData) close() {
	if d.etcd != nil {
		ctx, cancel := context.WithTimeout(context.Background(), etcdCloseTimeout)
		defer cancel()
		if err := d.etcd.Close(ctx); err != nil {
			klog.ErrorS(err, "Failed to close the embedded etcd")
			return
		}
	}
	if err := d.dir.Close(); err != nil {
		klog.ErrorS(err, "Failed to unlock the data directory", "path", d.dir.Path())
	}
}

// servingCertificate is the issued serving certificate, empty if there is none.
func (d *localData) servingCertificate() genericoptions.CertKey {
	if d.certificates == nil {
		return genericoptions.CertKey{}
	}
	return genericoptions.CertKey{CertFile: d.certificates.Serving.CertificateFile, KeyFile: d.certificates.Serving.KeyFile}
}

// clientCA is the file of the CA that signs client certificates, empty if there is
// none.
func (d *localData) clientCA() string {
	if d.certificates == nil {
		return ""
	}
	return d.certificates.CA.CertificateFile
}
