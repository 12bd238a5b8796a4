package renewal

import (
	"crypto/x509"
	"fmt"
	"os"
	"slices"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/cert"
)

// Source knows a certificate in use.
type Source struct {
	// Name is the value of the label certificate.
	Name string
	// Read returns the certificate's file and the end of its validity; with a chain, the end of
	// the validity of all of it. A zero end means that there is no certificate.
	Read func() (file string, end time.Time, err error)
}

// Served is the certificate that a server presents to its clients, with its key as PEM. File is where
// it was read, empty if nowhere. Providers of k8s.io/apiserver/pkg/server/dynamiccertificates have
// reloaded what changed.
func Served(name, file string, presented func() (cert, key []byte)) Source {
	return Source{name, func() (string, time.Time, error) {
		content, _ := presented()
		return parse(file, content)
	}}
}

// File is a PEM file with a certificate or a chain.
func File(name, file string) Source {
	return Source{name, func() (string, time.Time, error) { return readFile(file) }}
}

// Kubeconfig is the client certificate of the current context of a kubeconfig, if it
// has one. The kubeconfig is read once, as clients do; a certificate file that it names
// is read each time, since clients reload it.
func Kubeconfig(name, file string) Source {
	var loaded *rest.Config
	return Source{name, func() (_ string, _ time.Time, err error) {
		if loaded == nil {
			if loaded, err = clientcmd.BuildConfigFromFlags("", file); err != nil {
				return file, time.Time{}, fmt.Errorf("%s: %w", file, err)
			}
		}
		switch {
		case len(loaded.CertData) > 0:
			return parse(file, loaded.CertData)
		case loaded.CertFile != "":
			return readFile(loaded.CertFile)
		}
		return file, time.Time{}, nil
	}}
}

func readFile(file string) (string, time.Time, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return file, time.Time{}, err
	}
	return parse(file, content)
}

func parse(file string, content []byte) (string, time.Time, error) {
	chain, err := cert.ParseCertsPEM(content)
	if err != nil {
		return file, time.Time{}, fmt.Errorf("%s has no certificate: %w", file, err)
	}
	first := slices.MinFunc(chain, func(a, b *x509.Certificate) int { return a.NotAfter.Compare(b.NotAfter) })
	return file, first.NotAfter, nil
}
