package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/renewal"
)

// writeKubeconfig writes admin.kubeconfig, once the address is known.
func (s *Server) writeKubeconfig(context.Context) error {
	if s.data == nil || s.data.certificates == nil {
		return nil
	}
	if _, err := s.renewCertificates(); err != nil {
		return err
	}
	s.kubeconfig = s.data.dir.KubeconfigPath()
	return nil
}

// renewCertificates renews the certificates of the data directory, and writes admin.kubeconfig.
// A certificate that fails keeps what it was.
func (s *Server) renewCertificates() ([]embedded.Renewal, error) {
	renewed, err := embedded.EnsureCertificates(s.data.dir, s.servingNames(), s.config.Clock.Now)
	if renewed.CA.CertificatePEM == nil || renewed.Admin.CertificatePEM == nil {
		return renewed.Renewals, err
	}
	s.data.certificates.CA, s.data.certificates.Admin = renewed.CA, renewed.Admin
	return renewed.Renewals, errors.Join(err, s.updateKubeconfig(renewed))
}

func (s *Server) updateKubeconfig(certificates embedded.Certificates) error {
	if path := s.config.SecureServing.ServerCert.CertKey.CertFile; path != s.data.certificates.Serving.CertificateFile {
		trusted, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("--tls-cert-file: %w", err)
		}
		certificates.CA.CertificatePEM = trusted
	}
	changed, err := embedded.WriteKubeconfig(s.data.dir, s.config.url(), certificates)
	if changed {
		klog.InfoS("Wrote kubeconfig", "file", s.data.dir.KubeconfigPath(), "expires", certificates.Admin.NotAfter.UTC().Format(time.RFC3339))
	}
	return err
}

// watchCertificates makes the controller that renews certificates and shows when those
// in use end.
func (s *Server) watchCertificates(context.Context) error {
	config := renewal.Config{Clock: s.config.Clock, Log: klog.Background().WithName("certificates"), Sources: s.certificateSources()}
	if s.data != nil && s.data.certificates != nil {
		config.Renew = s.renewCertificates
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
		sources = append(sources, issued(embedded.CACertificate, &s.data.certificates.CA), issued(embedded.AdminCertificate, &s.data.certificates.Admin))
	}
	if file := s.config.Etcd.StorageConfig.Transport.CertFile; file != "" {
		sources = append(sources, renewal.File("etcd-client", file))
	}
	identity := s.config.Identity
	for _, kubeconfig := range []struct{ name, file string }{
		{"kubeconfig", identity.Kubeconfig},
		{"authentication-kubeconfig", identity.Authentication.RemoteKubeConfigFile},
		{"authorization-kubeconfig", identity.Authorization.RemoteKubeConfigFile},
		{"authorization-webhook", identity.Local.AuthorizationWebhookFile},
		{"audit-webhook", s.config.Audit.WebhookOptions.ConfigFile},
	} {
		if kubeconfig.file != "" {
			sources = append(sources, renewal.Kubeconfig(kubeconfig.name, kubeconfig.file))
		}
	}
	return sources
}

// issued is a certificate in the data directory. Its file may have other certificates too: a CA
// bundle says nothing about the end of this server's CA.
func issued(name string, pair *embedded.KeyPair) renewal.Source {
	return renewal.Source{Name: name, Read: func() (string, time.Time, error) { return pair.CertificateFile, pair.NotAfter, nil }}
}
