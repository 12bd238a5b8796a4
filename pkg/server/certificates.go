package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/renewal"
)

// localIssuer renews the certificates of the data directory, and writes admin.kubeconfig.
type localIssuer struct {
	config CompletedConfig
	dir    *embedded.DataDirectory
	hosts  []string
}

var _ renewal.Issuer = (*localIssuer)(nil)

// issuer returns the issuer, nil if this server issues no certificates.
func (s *Server) issuer() *localIssuer {
	if s.data == nil || s.data.certificates == nil {
		return nil
	}
	return &localIssuer{config: s.config, dir: s.data.dir, hosts: s.servingNames()}
}

// writeKubeconfig writes admin.kubeconfig, once the address is known.
func (s *Server) writeKubeconfig(ctx context.Context) error {
	issuer := s.issuer()
	if issuer == nil {
		return nil
	}
	if _, errs := issuer.Renew(ctx); len(errs) > 0 {
		return errors.Join(errs...)
	}
	s.kubeconfig = s.data.dir.KubeconfigPath()
	return nil
}

// Renew implements renewal.Issuer.
func (i *localIssuer) Renew(ctx context.Context) (renewals []embedded.Renewal, errs []error) {
	unlock, err := i.dir.LockCertificates(ctx)
	if err != nil {
		return nil, []error{err}
	}
	defer func() {
		if err := unlock(); err != nil {
			errs = append(errs, err)
		}
	}()
	certificates, err := embedded.EnsureCertificates(i.dir, i.hosts, i.config.Clock.Now)
	if certificates == nil {
		return nil, []error{err}
	}
	for _, err := range certificates.Errors {
		errs = append(errs, err)
	}
	renewals = certificates.Renewals
	if certificates.CA.CertificatePEM == nil || certificates.Admin.CertificatePEM == nil {
		return renewals, errs
	}
	switch changed, err := i.writeKubeconfig(certificates); {
	case err != nil:
		errs = append(errs, &embedded.CertificateError{Certificate: embedded.KubeconfigName, Err: err})
	case changed:
		renewals = append(renewals, embedded.KubeconfigRenewal(i.dir, certificates.Admin))
	}
	return renewals, errs
}

func (i *localIssuer) writeKubeconfig(certificates *embedded.Certificates) (changed bool, err error) {
	content := *certificates
	if path := i.config.SecureServing.ServerCert.CertKey.CertFile; path != certificates.Serving.CertificateFile {
		trusted, err := os.ReadFile(path)
		if err != nil {
			return false, fmt.Errorf("--tls-cert-file: %w", err)
		}
		content.CA.CertificatePEM = trusted
	}
	return embedded.WriteKubeconfig(i.dir, i.config.url(), &content)
}

// watchCertificates makes the controller that renews certificates and shows when those
// in use end.
func (s *Server) watchCertificates(context.Context) error {
	config := renewal.Config{Clock: s.config.Clock, Log: klog.Background().WithName("certificates"), Sources: s.certificateSources()}
	if issuer := s.issuer(); issuer != nil {
		config.Issuer = issuer
		config.Issued = slices.Concat([]string{embedded.CACertificate}, embedded.LeafCertificates(), []string{embedded.KubeconfigName})
	}
	s.certificates = renewal.New(config)
	return nil
}

// certificateSources are the certificates that this server presents, to its clients and
// to the servers that it asks.
func (s *Server) certificateSources() []renewal.Source {
	var sources []renewal.Source
	serving := s.generic.SecureServing
	if serving.Cert != nil {
		sources = append(sources, renewal.Served("serving", s.config.SecureServing.ServerCert.CertKey.CertFile, serving.Cert))
	}
	for _, pair := range s.config.SecureServing.SNICertKeys {
		sources = append(sources, renewal.File("serving-sni", pair.CertFile))
	}
	if s.data != nil && s.data.certificates != nil {
		sources = append(sources,
			renewal.File(embedded.CACertificate, s.data.certificates.CA.CertificateFile),
			renewal.File(embedded.AdminCertificate, s.data.certificates.Admin.CertificateFile))
	}
	if file := s.config.Etcd.StorageConfig.Transport.CertFile; file != "" {
		sources = append(sources, renewal.File("etcd-client", file))
	}
	identity := s.config.Identity
	for _, kubeconfig := range []struct{ name, file string }{
		{"kubeconfig", identity.Kubeconfig},
		{"authentication-kubeconfig", identity.Authentication.RemoteKubeConfigFile},
		{"authorization-kubeconfig", identity.Authorization.RemoteKubeConfigFile},
		{"authentication-token-webhook", identity.Local.TokenWebhookFile},
		{"authorization-webhook", identity.Local.AuthorizationWebhookFile},
		{"audit-webhook", s.config.Audit.WebhookOptions.ConfigFile},
	} {
		if kubeconfig.file != "" {
			sources = append(sources, renewal.Kubeconfig(kubeconfig.name, kubeconfig.file))
		}
	}
	return sources
}
