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
}

// Renewal is a file that was written because a certificate was issued.
type Renewal struct {
	// Certificate is the name of the certificate.
	Certificate string
	// File is the absolute path of the file.
	File string
	// Reason is why it was written, for a log.
	Reason string
	// NotAfter is the end of the validity of the certificate in the file.
	NotAfter time.Time
}

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
// It does not keep the others from being renewed: the result has the other certificates,
// and an empty pair for each that failed. Only one call may run at a time.
func EnsureCertificates(dir *DataDirectory, hosts []string, now func() time.Time) (Certificates, error) {
	names, err := newSubjectAltNames(hosts)
	if err != nil {
		return Certificates{}, err
	}
	if err := ensurePrivateDirectory(dir.pkiPath()); err != nil {
		return Certificates{}, err
	}
	i := &issuer{directory: dir.pkiPath(), now: now()}
	ca, err := i.ensureCA()
	if err != nil {
		return Certificates{}, err
	}
	serving, servingErr := i.ensureLeaf(ServingCertificate, ca, leafTemplate{
		subject: pkix.Name{CommonName: "flowcontrol-apiserver"},
		names:   names,
		usage:   x509.ExtKeyUsageServerAuth,
	})
	admin, adminErr := i.ensureLeaf(AdminCertificate, ca, leafTemplate{
		subject: pkix.Name{CommonName: AdminUser, Organization: []string{AdminGroup}},
		usage:   x509.ExtKeyUsageClientAuth,
	})
	return Certificates{CA: ca.KeyPair, Serving: serving, Admin: admin, Renewals: i.renewals},
		errors.Join(servingErr, adminErr, SyncDirectory(dir.pkiPath()))
}
