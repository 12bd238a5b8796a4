package embedded

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"time"
)

const (
	// AdminUser is the user name in the administrator's certificate.
	AdminUser = "flowcontrol-admin"
	// AdminGroup is the group in the administrator's certificate.
	AdminGroup = "system:masters"
)

// Names of the certificates. Their files are NAME.crt and NAME.key.
const (
	CACertificate      = "ca"
	ServingCertificate = "serving"
	AdminCertificate   = "admin"
)

// Certificates are the certificates of a server that runs alone.
type Certificates struct {
	// CA signs the other two. Its certificate is also the server's client CA file.
	CA KeyPair
	// Serving is the server's certificate.
	Serving KeyPair
	// Admin is the client certificate of the administrator.
	Admin KeyPair
	// Renewals are the certificates that this call issued.
	Renewals []Renewal
	// Errors are about the certificates that this call could not open or issue.
	Errors []*CertificateError
}

// Renewal is a file that was written because a certificate was issued.
type Renewal struct {
	// Certificate is the name of the certificate, or of the kubeconfig file.
	Certificate string
	// File is the absolute path of the file.
	File string
	// Reason is why it was written, for a log.
	Reason string
	// NotAfter is the end of the validity of the certificate in the file.
	NotAfter time.Time
}

// CertificateError is the error of one certificate.
type CertificateError struct {
	// Certificate is its name.
	Certificate string
	// Err names the file and what to do.
	Err error
}

var _ error = (*CertificateError)(nil)

// Error returns the message of Err.
func (e *CertificateError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *CertificateError) Unwrap() error { return e.Err }

// EnsureCertificates creates missing certificates below dir and keeps the valid
// ones. It renews a leaf certificate that is not valid for another 30 days, was
// signed by another CA of this server, or has other names, and a CA certificate that
// is not valid for another year.
//
// Hosts are the names and IP addresses that clients use to reach the server.
// localhost, 127.0.0.1 and ::1 are added; unspecified addresses (0.0.0.0, ::) are
// ignored. Now is the clock, and is read once.
//
// Leaf certificates are valid for 1 year and the CA for 10; a leaf never outlives
// the CA. Renewal keeps the key, so that a copy of ca.crt remains a trust anchor. Validity is
// extended to cover the replaced certificate's: see the package comment, Clocks.
//
// A file that cannot be read, does not contain what its name says, or was not
// created by this server is never overwritten: the error names it and what to do.
// It does not keep the others from being renewed: the error joins the Errors of the
// result, which has the other certificates. Without a result nothing was tried.
//
// The caller holds the lock of LockCertificates.
func EnsureCertificates(dir *DataDirectory, hosts []string, now func() time.Time) (*Certificates, error) {
	names, err := newSubjectAltNames(hosts)
	if err != nil {
		return nil, err
	}
	if err := ensurePrivateDirectory(dir.pkiPath()); err != nil {
		return nil, err
	}
	pairs, failed := openKeyPairs(dir.pkiPath(), CACertificate, ServingCertificate, AdminCertificate)
	// The names of new keys are durable before a certificate can refer to them.
	if err := SyncDirectory(dir.pkiPath()); err != nil {
		return nil, err
	}
	issuer := &issuer{now: now()}
	if ca := pairs[CACertificate]; ca != nil {
		failed.add(ca, issuer.ensureCA(ca))
		templates := leafTemplates(names)
		for _, name := range []string{ServingCertificate, AdminCertificate} {
			if leaf := pairs[name]; leaf != nil && !failed.has(CACertificate) {
				failed.add(leaf, issuer.ensureLeaf(leaf, ca, templates[name]))
			}
		}
	}
	if err := SyncDirectory(dir.pkiPath()); err != nil {
		return nil, err
	}
	certificates := &Certificates{Renewals: issuer.renewals, Errors: failed.list()}
	for name, target := range map[string]*KeyPair{
		CACertificate: &certificates.CA, ServingCertificate: &certificates.Serving, AdminCertificate: &certificates.Admin,
	} {
		if pair := pairs[name]; pair != nil && !failed.has(name) {
			*target = pair.KeyPair
		}
	}
	return certificates, certificates.err()
}

// err joins the errors; nil without errors.
func (c *Certificates) err() error {
	errs := make([]error, 0, len(c.Errors))
	for _, err := range c.Errors {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// leafTemplates are the leaf certificates by name.
func leafTemplates(serving subjectAltNames) map[string]leafTemplate {
	return map[string]leafTemplate{
		ServingCertificate: {
			subject: pkix.Name{CommonName: "flowcontrol-apiserver"},
			names:   serving,
			usage:   x509.ExtKeyUsageServerAuth,
		},
		AdminCertificate: {
			subject: pkix.Name{CommonName: AdminUser, Organization: []string{AdminGroup}},
			usage:   x509.ExtKeyUsageClientAuth,
		},
	}
}

// certificateErrors are errors by the name of the certificate.
type certificateErrors map[string]error

func (e certificateErrors) add(pair *parsedKeyPair, err error) {
	if err != nil {
		e[pair.name] = err
	}
}

func (e certificateErrors) has(name string) bool { return e[name] != nil }

// list returns the errors in the order of the certificates.
func (e certificateErrors) list() []*CertificateError {
	var errs []*CertificateError
	for _, name := range []string{CACertificate, ServingCertificate, AdminCertificate} {
		if err := e[name]; err != nil {
			errs = append(errs, &CertificateError{Certificate: name, Err: err})
		}
	}
	return errs
}
