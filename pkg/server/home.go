package server

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

const (
	// etcdStartTimeout is how long the embedded etcd may take to read its data.
	etcdStartTimeout = time.Minute
	// etcdCloseTimeout is how long it may take to close its files. All that it
	// acknowledged is on disk before that.
	etcdCloseTimeout = 10 * time.Second
)

// home is the data directory and what lives in it.
type home struct {
	dir          *embedded.DataDirectory
	certificates *embedded.Certificates
	etcd         *embedded.Etcd
}

// openHome takes the data directory and makes what certificates are missing.
func (c *Config) openHome(context.Context) error {
	if !c.options.usesDataDir() {
		return nil
	}
	dir, err := embedded.OpenDataDirectory(c.options.DataDir)
	if err != nil {
		return err
	}
	c.home = &home{dir: dir}
	if c.options.local {
		c.home.certificates, err = embedded.EnsureCertificates(dir, c.servingNames(), time.Now)
	}
	return err
}

// servingNames are the names and addresses by which clients may call us, the
// loopback aside.
func (c *Config) servingNames() []string {
	names := []string{c.options.SecureServing.BindAddress.String(), c.options.Run.AdvertiseAddress.String()}
	if host := c.options.Run.ExternalHost; host != "" {
		names = append(names, host)
	}
	return names
}

// startEtcd starts the embedded etcd, unless an etcd was named.
func (c *Config) startEtcd(ctx context.Context) (err error) {
	if !c.options.embeddedEtcd {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, etcdStartTimeout)
	defer cancel()
	c.home.etcd, err = embedded.StartEtcd(ctx, c.home.dir, klog.Background().WithName("etcd"))
	return err
}

func (h *home) close() {
	if h.etcd != nil {
		ctx, cancel := context.WithTimeout(context.Background(), etcdCloseTimeout)
		defer cancel()
		if err := h.etcd.Close(ctx); err != nil {
			// The end of the process frees the directory, when etcd is gone too.
			klog.ErrorS(err, "Closing the embedded etcd")
			return
		}
	}
	if err := h.dir.Close(); err != nil {
		klog.ErrorS(err, "Closing the data directory")
	}
}

// servingCertificate is the certificate to serve with, if the user has none.
func (h *home) servingCertificate() genericoptions.CertKey {
	if h.certificates == nil {
		return genericoptions.CertKey{}
	}
	return genericoptions.CertKey{CertFile: h.certificates.Serving.CertificateFile, KeyFile: h.certificates.Serving.KeyFile}
}

// clientCA is the file of the authority that signs our client certificates.
func (h *home) clientCA() string {
	if h.certificates == nil {
		return ""
	}
	return h.certificates.CA.CertificateFile
}

// writeKubeconfig gives the administrator a kubeconfig, if a client certificate
// of ours is accepted, and returns its path.
func (c *Config) writeKubeconfig() (string, error) {
	if c.home == nil || c.home.certificates == nil || c.options.Identity.Authentication.ClientCert.ClientCA != "" {
		return "", nil
	}
	certificates := *c.home.certificates
	if path := c.options.SecureServing.ServerCert.CertKey.CertFile; path != c.home.certificates.Serving.CertificateFile {
		trusted, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("--tls-cert-file: %w", err)
		}
		certificates.CA.CertificatePEM = trusted
	}
	_, err := embedded.WriteKubeconfig(c.home.dir, c.address(), &certificates)
	return c.home.dir.KubeconfigPath(), err
}

// address is the URL under which a client on this machine finds the server.
func (c *Config) address() string {
	serving := c.options.SecureServing
	host := serving.BindAddress
	if host.IsUnspecified() {
		host = net.IPv4(127, 0, 0, 1)
	}
	return "https://" + net.JoinHostPort(host.String(), strconv.Itoa(serving.BindPort))
}
