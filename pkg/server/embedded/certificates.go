package embedded

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"os"
	"time"
)

const (
	// AdminUser is who the administrator's certificate says its holder is.
	AdminUser = "flowcontrol-admin"
	// AdminGroup is the group that it puts him into.
	AdminGroup = "system:masters"

	authorityLife = 10 * 365 * 24 * time.Hour
	leafLife      = 365 * 24 * time.Hour
	// renewalMargin is how long a certificate must at least be good for after a
	// start.
	renewalMargin = 30 * 24 * time.Hour
	// backdating lets clients whose clocks are a little behind accept a new
	// certificate.
	backdating = 5 * time.Minute
)

// KeyPair is a certificate with its private key, on disk and in memory.
type KeyPair struct {
	// CertificateFile and KeyFile are absolute paths, modes 0644 and 0600.
	CertificateFile, KeyFile string
	// CertificatePEM and KeyPEM are what these files hold.
	CertificatePEM, KeyPEM []byte
	// NotAfter is the last moment at which the certificate is valid.
	NotAfter time.Time
}

// Certificates are the certificates of a server that runs alone.
type Certificates struct {
	// CA signs the other two. Its certificate is the server's client CA file as
	// well.
	CA KeyPair
	// Serving is what the server shows to clients.
	Serving KeyPair
	// Admin is the client certificate of the administrator.
	Admin KeyPair
	// Written lists the certificates made or renewed by this call, in words for
	// a log.
	Written []string
}

// EnsureCertificates makes the certificates that are missing below dir, keeps
// those that are good, and renews those that are not valid for another 30 days,
// were signed by another authority of this server, or name other hosts.
//
// Hosts are the names and IP addresses under which clients reach the server,
// beside localhost, 127.0.0.1 and ::1, which are always there; unspecified
// addresses (0.0.0.0, ::) say nothing and are left out. Now is the clock, and is
// read once.
//
// The leaves live for 1 year and the authority for 10; a leaf never outlives the
// authority. Renewal keeps the key, so a copy of ca.crt stays good.
//
// A file that cannot be read, is not what its name says, or was not made by this
// server is never overwritten: the error names it and what to do.
func EnsureCertificates(dir *DataDirectory, hosts []string, now func() time.Time) (*Certificates, error) {
	names, err := namesOf(hosts)
	if err != nil {
		return nil, err
	}
	if err := makePrivateDirectory(dir.pkiPath()); err != nil {
		return nil, err
	}
	pairs, err := openPairs(dir.pkiPath(), "ca", "serving", "admin")
	if err != nil {
		return nil, err
	}
	authority, serving, admin := pairs[0], pairs[1], pairs[2]

	issuer := &issuer{now: now()}
	if err := issuer.ensureAuthority(authority); err != nil {
		return nil, err
	}
	if err := issuer.ensureLeaf(serving, authority, leafTemplate{
		subject: pkix.Name{CommonName: "flowcontrol-apiserver"},
		names:   names,
		usage:   x509.ExtKeyUsageServerAuth,
	}); err != nil {
		return nil, err
	}
	if err := issuer.ensureLeaf(admin, authority, leafTemplate{
		subject: pkix.Name{CommonName: AdminUser, Organization: []string{AdminGroup}},
		usage:   x509.ExtKeyUsageClientAuth,
	}); err != nil {
		return nil, err
	}
	if err := syncDirectory(dir.pkiPath()); err != nil {
		return nil, err
	}
	return &Certificates{
		CA:      authority.public(),
		Serving: serving.public(),
		Admin:   admin.public(),
		Written: issuer.written,
	}, nil
}

// makePrivateDirectory makes a directory inside the data directory.
func makePrivateDirectory(path string) error {
	if err := os.Mkdir(path, directoryMode); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("directory %s cannot be made: %w", path, err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory; move it away to have one made", path)
	}
	if !openToOthers(info) {
		return nil
	}
	return os.Chmod(path, directoryMode)
}
