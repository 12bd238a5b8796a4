package server

import (
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

// addLoopback returns the client that reads this server's own API. The library's certificate for it
// ends after three years and is renewed by a restart alone: then the informers fail, and flow
// control keeps an old configuration. This certificate has no end, whatever the clock says. Its key
// is never written, and ends with the process.
func addLoopback(serving *genericapiserver.SecureServingInfo) (*rest.Config, error) {
	certificate, key, err := newLoopbackCertificate()
	if err != nil {
		return nil, err
	}
	content, err := dynamiccertificates.NewStaticSNICertKeyContent("self-signed loopback", certificate, key, genericapiserver.LoopbackClientServerNameOverride)
	if err != nil {
		return nil, err
	}
	// The first certificate of a name is served.
	serving.SNICerts = append([]dynamiccertificates.SNICertKeyContentProvider{content}, serving.SNICerts...)
	client, err := serving.NewLoopbackClientConfig(rand.Text(), certificate)
	if err != nil {
		return nil, err
	}
	// This server reads its own API: protobuf is cheaper for both ends, and
	// compression only costs on the loopback.
	client.ContentType = runtime.ContentTypeProtobuf
	client.AcceptContentTypes = runtime.ContentTypeProtobuf
	client.DisableCompression = true
	return client, nil
}

// newLoopbackCertificate returns a self-signed certificate without an end, and its key,
// as PEM.
func newLoopbackCertificate() (certificate, key []byte, err error) {
	private, key, err := embedded.NewKey()
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: genericapiserver.LoopbackClientServerNameOverride},
		NotBefore:             time.Unix(0, 0),
		NotAfter:              time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC), // no end: RFC 5280, 4.1.2.5
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		DNSNames:              []string{genericapiserver.LoopbackClientServerNameOverride},
	}
	signed, err := embedded.Sign(template, template, private, private)
	if err != nil {
		return nil, nil, err
	}
	certificate, err = cert.EncodeCertificates(signed)
	return certificate, key, err
}
