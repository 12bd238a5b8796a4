package server

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/client-go/rest"
)

// serving is a bound address.
type serving struct {
	*genericapiserver.SecureServingInfo
	// loopback is how this process reaches the server, and url how a client on this machine does.
	loopback *rest.Config
	url      string
	// certificateFile is the file of the serving certificate.
	certificateFile string
}

// bind binds the address.
func bind(c CompletedConfig, data dataDirectory) (s serving, err error) {
	options := *c.SecureServing.SecureServingOptions
	if cert := &options.ServerCert; cert.CertKey.CertFile != "" {
		// The library's error names neither flag nor file.
		if _, err := tls.LoadX509KeyPair(cert.CertKey.CertFile, cert.CertKey.KeyFile); err != nil {
			return s, fmt.Errorf("--tls-cert-file=%s, --tls-private-key-file=%s: must be readable PEM files of a certificate and its key: %w", cert.CertKey.CertFile, cert.CertKey.KeyFile, err)
		}
	} else if cert.CertDirectory == "" {
		cert.CertKey.CertFile, cert.CertKey.KeyFile = data.certificates.Serving.CertificateFile, data.certificates.Serving.KeyFile
	}
	if err := options.MaybeDefaultWithSelfSignedCerts(c.Run.AdvertiseAddress.String(), nil, nil); err != nil {
		return s, fmt.Errorf("making a serving certificate: %w", err)
	}
	defer func() {
		if err != nil && options.Listener != nil {
			_ = options.Listener.Close()
		}
	}()
	if err := options.ApplyTo(&s.SecureServingInfo); err != nil {
		return s, explainServing(err, c.SecureServing.SecureServingOptions)
	}
	host := options.BindAddress
	if host.IsUnspecified() {
		host = net.IPv4(127, 0, 0, 1)
	}
	s.url = "https://" + net.JoinHostPort(host.String(), strconv.Itoa(options.BindPort))
	s.certificateFile = options.ServerCert.CertKey.CertFile
	if s.loopback, err = addLoopback(s.SecureServingInfo); err != nil {
		return s, fmt.Errorf("making the client of the loopback: %w", err)
	}
	return s, nil
}

// explainServing says what to do about an address that cannot be bound. The
// library's error has the system's reason as text, and not the port.
func explainServing(err error, options *genericoptions.SecureServingOptions) error {
	reason := func(number syscall.Errno) bool { return strings.HasSuffix(err.Error(), number.Error()) }
	switch {
	case reason(syscall.EADDRINUSE):
		return fmt.Errorf("another program listens on %s port %d: stop it, or choose another port with --secure-port", options.BindAddress, options.BindPort)
	case reason(syscall.EADDRNOTAVAIL):
		return fmt.Errorf("--bind-address=%s is not an address of this machine: give one that is, or 0.0.0.0 for all", options.BindAddress)
	case reason(syscall.EACCES):
		return fmt.Errorf("--secure-port=%d may not be bound by this user: choose a port from 1024 on", options.BindPort)
	}
	return err
}

// close closes the listener and, unless the server has run, ends what the providers of certificates
// have started since they were made: they end it only after they ran.
func (s serving) close(ran bool) {
	_ = s.Listener.Close() // an error if Run has closed it
	if ran {
		return
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	providers := []any{s.Cert, s.ClientCA}
	for _, named := range s.SNICerts {
		providers = append(providers, named)
	}
	for _, provider := range providers {
		if runner, ok := provider.(dynamiccertificates.ControllerRunner); ok {
			runner.Run(ended, 1)
		}
	}
}
