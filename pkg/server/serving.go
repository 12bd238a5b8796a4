package server

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"

	registry "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/identity"
)

// applyRun applies the options of requests and shutdown, and the versions served.
func (s *Server) applyRun(context.Context) error {
	if err := s.setAdvertiseAddress(); err != nil {
		return err
	}
	if err := s.config.Run.ApplyTo(s.generic); err != nil {
		return err
	}
	s.generic.EffectiveVersion = effectiveVersion{s.generic.EffectiveVersion}
	enabled := registry.DefaultResourceConfig()
	if s.config.LocalIdentity {
		enabled.EnableVersions(identity.SelfReviewVersions()...)
	}
	if err := s.config.APIEnablement.ApplyTo(s.generic, enabled, s.scheme); err != nil {
		return fmt.Errorf("--runtime-config: %w", err)
	}
	s.describeAPI()
	return nil
}

// setAdvertiseAddress keeps the library from looking for a network interface, which
// a machine that is offline may not have, if the bind address will do.
func (s *Server) setAdvertiseAddress() error {
	run, bind := s.config.Run, s.config.SecureServing.BindAddress
	if run.AdvertiseAddress == nil && !bind.IsUnspecified() {
		run.AdvertiseAddress = bind
	}
	return run.DefaultAdvertiseAddress(s.config.SecureServing.SecureServingOptions)
}

// applyServing binds the address.
func (s *Server) applyServing(context.Context) error {
	serving := s.config.SecureServing
	port := serving.BindPort
	if s.data != nil && !s.config.hasServingCertificate() {
		serving.ServerCert.CertKey = s.data.servingCertificate()
	} else if pair := serving.ServerCert.CertKey; pair.CertFile != "" {
		// The library's error names neither flag nor file.
		if _, err := tls.LoadX509KeyPair(pair.CertFile, pair.KeyFile); err != nil {
			return fmt.Errorf("--tls-cert-file=%s, --tls-private-key-file=%s: must be readable PEM files of a certificate and its key: %w", pair.CertFile, pair.KeyFile, err)
		}
	}
	if err := serving.MaybeDefaultWithSelfSignedCerts(s.config.Run.AdvertiseAddress.String(), nil, nil); err != nil {
		return fmt.Errorf("making a serving certificate: %w", err)
	}
	if err := serving.SecureServingOptions.ApplyTo(&s.generic.SecureServing); err != nil {
		return s.explainServing(err, port)
	}
	return s.applyLoopback()
}

// explainServing says what to do about an address that cannot be bound. The
// library's error has the system's reason as text, and not the port.
func (s *Server) explainServing(err error, port int) error {
	serving, reason := s.config.SecureServing, func(number syscall.Errno) bool {
		return strings.HasSuffix(err.Error(), number.Error())
	}
	switch {
	case reason(syscall.EADDRINUSE):
		return fmt.Errorf("another program listens on %s port %d: stop it, or choose another port with --secure-port", serving.BindAddress, port)
	case reason(syscall.EADDRNOTAVAIL):
		return fmt.Errorf("--bind-address=%s is not an address of this machine: give one that is, or 0.0.0.0 for all", serving.BindAddress)
	case reason(syscall.EACCES):
		return fmt.Errorf("--secure-port=%d may not be bound by this user: choose a port from 1024 on", port)
	}
	return err
}

// applyIdentity sets authentication and authorization.
func (s *Server) applyIdentity(ctx context.Context) error {
	clientCA := ""
	if s.data != nil {
		clientCA = s.data.clientCA()
	}
	return s.config.Identity.ApplyTo(ctx, &s.generic.Authentication, &s.generic.Authorization, s.generic.SecureServing, clientCA)
}

// url is where a client on this machine reaches the server.
func (c CompletedConfig) url() string {
	host := c.SecureServing.BindAddress
	if host.IsUnspecified() {
		host = net.IPv4(127, 0, 0, 1)
	}
	return "https://" + net.JoinHostPort(host.String(), strconv.Itoa(c.SecureServing.BindPort))
}
