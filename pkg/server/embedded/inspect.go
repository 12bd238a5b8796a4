package embedded

import (
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/cert"
)

// CertificateState says what is to be done about a certificate.
type CertificateState string

// The states.
const (
	// StateValid needs nothing.
	StateValid CertificateState = "valid"
	// StateDue is valid, and near its end: a running server renews it.
	StateDue CertificateState = "renewal due"
	// StateExpired is past its end.
	StateExpired CertificateState = "expired"
	// StateNotYetValid begins in the future, by the clock of this machine.
	StateNotYetValid CertificateState = "not yet valid"
	// StateUnusable is missing, unreadable, or not created by this server.
	StateUnusable CertificateState = "unusable"
)

// CertificateStatus is what the files of one certificate show.
type CertificateStatus struct {
	// Certificate is the name of the certificate, or of the kubeconfig file.
	Certificate string
	// File is the absolute path of the file with the certificate.
	File string
	// NotBefore and NotAfter are zero if the certificate cannot be read.
	NotBefore, NotAfter time.Time
	// SignedByCA is set if the CA of this server signed it.
	SignedByCA bool
	State      CertificateState
	// Err says why the certificate is unusable and what to do.
	Err error
}

// InspectCertificates returns the states of the certificates in the data directory at
// path, and of the kubeconfig if there is one. It changes nothing and takes no lock. It
// returns an error if there are no certificates in the directory.
func InspectCertificates(path string, now time.Time) ([]CertificateStatus, error) {
	dir, err := existingDirectory(path)
	if err != nil {
		return nil, err
	}
	inspector := &inspector{now: now}
	for _, name := range []string{CACertificate, ServingCertificate, AdminCertificate} {
		inspector.inspectPair(dir.pkiPath(), name)
	}
	if err := inspector.inspectKubeconfig(dir.KubeconfigPath()); err != nil {
		return nil, err
	}
	return inspector.found, nil
}

// existingDirectory returns the data directory at path without its lock. It must have
// certificates.
func existingDirectory(path string) (*DataDirectory, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("data directory %s: %w; give --data-dir an absolute path", path, err)
	}
	dir := &DataDirectory{path: absolute}
	switch info, err := os.Stat(dir.pkiPath()); {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("data directory %s has no certificates (there is no %s); name the directory of a server with --data-dir, or start the server, which creates them", absolute, dir.pkiPath())
	case err != nil:
		return nil, fmt.Errorf("data directory %s cannot be read: %w; run this as its owner", absolute, err)
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a directory; name the directory of a server with --data-dir", dir.pkiPath())
	}
	return dir, nil
}

// inspector collects states at one moment.
type inspector struct {
	now   time.Time
	ca    *x509.Certificate // nil if unusable
	found []CertificateStatus
}

func (i *inspector) inspectPair(pki, name string) {
	status := CertificateStatus{Certificate: name, File: filepath.Join(pki, name+".crt")}
	pair, err := readKeyPair(pki, name)
	switch {
	case err != nil:
		status.Err = err
	case pair.certificate == nil:
		status.Err = fmt.Errorf("%s is missing; start the server, which creates it", status.File)
	case name == CACertificate:
		if status.Err = checkCA(pair); status.Err == nil {
			i.ca = pair.certificate
		}
	default:
		status.Err = checkLeaf(pair)
	}
	var certificate *x509.Certificate
	if pair != nil {
		certificate = pair.certificate
	}
	i.add(status, certificate)
}

func (i *inspector) inspectKubeconfig(path string) error {
	content, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("kubeconfig %s cannot be read: %w; run this as its owner", path, err)
	}
	certificate, err := kubeconfigCertificate(content)
	if err != nil {
		err = fmt.Errorf("kubeconfig %s has no client certificate that can be read: %w; start the server, which recreates it", path, err)
	}
	i.add(CertificateStatus{Certificate: KubeconfigName, File: path, Err: err}, certificate)
	return nil
}

func kubeconfigCertificate(content []byte) (*x509.Certificate, error) {
	config, err := clientcmd.Load(content)
	if err != nil {
		return nil, err
	}
	user := config.AuthInfos[kubeconfigEntry]
	if user == nil {
		return nil, fmt.Errorf("it has no user %s", kubeconfigEntry)
	}
	certificates, err := cert.ParseCertsPEM(user.ClientCertificateData)
	if err != nil {
		return nil, err
	}
	return certificates[0], nil
}

// add completes the status with what the certificate, nil if it cannot be read, says.
func (i *inspector) add(status CertificateStatus, certificate *x509.Certificate) {
	margin := renewalMargin
	if status.Certificate == CACertificate {
		margin = caRenewalMargin
	}
	if certificate != nil {
		status.NotBefore, status.NotAfter = certificate.NotBefore, certificate.NotAfter
		status.SignedByCA = i.ca != nil && certificate.CheckSignatureFrom(i.ca) == nil
	}
	status.State = i.state(certificate, margin, status.Err)
	i.found = append(i.found, status)
}

func (i *inspector) state(certificate *x509.Certificate, margin time.Duration, err error) CertificateState {
	switch {
	case err != nil:
		return StateUnusable
	case i.now.After(certificate.NotAfter):
		return StateExpired
	case i.now.Before(certificate.NotBefore):
		return StateNotYetValid
	case i.now.Add(margin).After(certificate.NotAfter):
		return StateDue
	}
	return StateValid
}
