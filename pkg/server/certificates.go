package server

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/renewal"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/servingca"
)

// newServingCertificate presents a certificate that this server issues for --tls-self-issued-service, and
// returns what renews it; nil without that flag. Until the first one is issued, the library's
// self-signed certificate is presented.
func newServingCertificate(c CompletedConfig, generic *genericapiserver.Config, front *kubeAPIServer) (*servingca.Controller, error) {
	if c.SelfIssuedService == "" {
		return nil, nil
	}
	namespace, name, _ := strings.Cut(c.SelfIssuedService, "/")
	controller := servingca.New(servingca.Config{
		Secrets:     front.client.CoreV1(),
		APIServices: front.dynamic,
		Service:     types.NamespacedName{Namespace: namespace, Name: name},
		Initial:     generic.SecureServing.Cert,
		Clock:       c.Clock,
		Log:         klog.Background().WithName("serving-certificate"),
	})
	generic.SecureServing.Cert = controller.Presented()
	return controller, generic.AddPostStartHook("serving-certificate", func(hook genericapiserver.PostStartHookContext) error {
		go controller.Run(hook)
		return nil
	})
}

// newCertificates returns the controller that renews the certificates of the data directory and
// shows when those in use end, and the path of admin.kubeconfig, which is written first; empty
// without certificates in the data directory.
func newCertificates(c CompletedConfig, data dataDirectory, serving serving) (*renewal.Controller, string, error) {
	config := renewal.Config{Clock: c.Clock, Log: klog.Background().WithName("certificates"), Sources: certificateSources(c, data, serving)}
	if !c.LocalIdentity {
		return renewal.New(config), "", nil
	}
	config.Renew = func() ([]embedded.Renewal, error) { return renewCertificates(c, data, serving) }
	_, err := config.Renew()
	return renewal.New(config), data.KubeconfigPath(), err
}

// renewCertificates renews the certificates of the data directory, and writes admin.kubeconfig.
// A certificate that fails keeps what it was.
func renewCertificates(c CompletedConfig, data dataDirectory, serving serving) ([]embedded.Renewal, error) {
	renewed, err := embedded.EnsureCertificates(data.DataDirectory, servingNames(c), c.Clock.Now)
	if renewed.CA.CertificatePEM == nil || renewed.Admin.CertificatePEM == nil {
		return renewed.Renewals, err
	}
	data.certificates.CA, data.certificates.Admin = renewed.CA, renewed.Admin
	if file := serving.certificateFile; file != data.certificates.Serving.CertificateFile {
		trusted, unreadable := os.ReadFile(file)
		if unreadable != nil {
			return renewed.Renewals, errors.Join(err, fmt.Errorf("--tls-cert-file: %w", unreadable))
		}
		renewed.CA.CertificatePEM = trusted
	}
	changed, failed := embedded.WriteKubeconfig(data.DataDirectory, serving.url, renewed)
	if changed {
		klog.InfoS("Wrote kubeconfig", "file", data.KubeconfigPath(), "expires", renewed.Admin.NotAfter.UTC().Format(time.RFC3339))
	}
	return renewed.Renewals, errors.Join(err, failed)
}

// certificateSources are the certificates that this server presents, to its clients and
// to the servers that it asks.
func certificateSources(c CompletedConfig, data dataDirectory, serving serving) []renewal.Source {
	sources := []renewal.Source{issued(embedded.CACertificate, &data.certificates.CA), issued(embedded.AdminCertificate, &data.certificates.Admin)}
	if serving.Cert != nil {
		sources = append(sources, renewal.Served("serving", serving.certificateFile, serving.Cert.CurrentCertKeyContent))
	}
	for _, pair := range c.SecureServing.SNICertKeys {
		sources = append(sources, renewal.File("serving-sni", pair.CertFile))
	}
	if file := c.Etcd.StorageConfig.Transport.CertFile; file != "" {
		sources = append(sources, renewal.File("etcd-client", file))
	}
	for _, kubeconfig := range []struct{ name, file string }{
		{"kubeconfig", c.Identity.Kubeconfig},
		{"authentication-kubeconfig", c.Identity.Authentication.RemoteKubeConfigFile},
		{"authorization-kubeconfig", c.Identity.Authorization.RemoteKubeConfigFile},
		{"authorization-webhook", c.Identity.Local.AuthorizationWebhookFile},
		{"audit-webhook", c.Audit.WebhookOptions.ConfigFile},
	} {
		if kubeconfig.file != "" {
			sources = append(sources, renewal.Kubeconfig(kubeconfig.name, kubeconfig.file))
		}
	}
	return sources
}

// issued is a certificate in the data directory, possibly none. Its file may have other certificates too: a CA
// bundle says nothing about the end of this server's CA.
func issued(name string, pair *embedded.KeyPair) renewal.Source {
	return renewal.Source{Name: name, Read: func() (string, time.Time, error) { return pair.CertificateFile, pair.NotAfter, nil }}
}
