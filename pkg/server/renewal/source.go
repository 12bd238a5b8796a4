package renewal

import (
	"crypto/x509"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/cert"
)

// Certificate is a certificate in use.
type Certificate struct {
	// File is its file, empty if it is in memory alone.
	File string
	// NotAfter is the end of its validity; with a chain, the end of the validity of all of it.
	NotAfter time.Time
}

// Source knows certificates in use.
type Source interface {
	// Name is the value of the label certificate.
	Name() string
	// Certificates reads the certificates. None is not an error. It is not called
	// concurrently.
	Certificates() ([]Certificate, error)
}

// Provider has the certificate and key that a server presents, as PEM. Providers of
// k8s.io/apiserver/pkg/server/dynamiccertificates have reloaded what changed.
type Provider interface {
	CurrentCertKeyContent() (cert, key []byte)
}

// Served is the certificate that a server presents to its clients. File is where it was
// read, empty if nowhere.
func Served(name, file string, provider Provider) Source {
	return source{name, func() ([]Certificate, error) {
		content, _ := provider.CurrentCertKeyContent()
		return parse(file, content)
	}}
}

// File is a PEM file with a certificate or a chain.
func File(name, file string) Source {
	return source{name, func() ([]Certificate, error) {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		return parse(file, content)
	}}
}

// Kubeconfig is the client certificate of the current context of a kubeconfig, if it
// has one. The kubeconfig is read once, as clients do; a certificate file that it names
// is read each time, since clients reload it.
func Kubeconfig(name, file string) Source {
	var loaded *rest.Config
	return source{name, func() ([]Certificate, error) {
		if loaded == nil {
			config, err := loadKubeconfig(file)
			if err != nil {
				return nil, err
			}
			loaded = config
		}
		switch {
		case len(loaded.CertData) > 0:
			return parse(file, loaded.CertData)
		case loaded.CertFile != "":
			return File(name, loaded.CertFile).Certificates()
		}
		return nil, nil
	}}
}

func loadKubeconfig(file string) (*rest.Config, error) {
	content, err := clientcmd.LoadFromFile(file)
	if err != nil {
		return nil, err
	}
	if err := clientcmd.ResolveLocalPaths(content); err != nil {
		return nil, err
	}
	config, err := clientcmd.NewDefaultClientConfig(*content, &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return config, nil
}

// source is a Source with a function that reads it.
type source struct {
	name string
	read func() ([]Certificate, error)
}

var _ Source = source{}

// Name implements Source.
func (s source) Name() string { return s.name }

// Certificates implements Source.
func (s source) Certificates() ([]Certificate, error) { return s.read() }

func parse(file string, content []byte) ([]Certificate, error) {
	chain, err := cert.ParseCertsPEM(content)
	if err != nil {
		return nil, fmt.Errorf("%s has no certificate: %w", file, err)
	}
	return []Certificate{{File: file, NotAfter: firstEnd(chain)}}, nil
}

func firstEnd(chain []*x509.Certificate) time.Time {
	end := chain[0].NotAfter
	for _, certificate := range chain[1:] {
		if certificate.NotAfter.Before(end) {
			end = certificate.NotAfter
		}
	}
	return end
}
