package embedded

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// LeafCertificates are the names of the certificates that RenewCertificates renews.
func LeafCertificates() []string { return []string{ServingCertificate, AdminCertificate} }

// RenewCertificates issues the named leaf certificates of the data directory at path again, however
// long they are still valid, with the names and addresses that they have. Before that it renews the
// CA if EnsureCertificates would. A renewed administrator's certificate replaces the one in the
// kubeconfig, if it exists.
//
// It runs beside a server, which serves a renewed certificate without a restart, and
// without one. Certificates must exist: only a server creates them, since it knows its names. Files
// of another origin are treated as in EnsureCertificates. On error the result has what was written
// before.
func RenewCertificates(ctx context.Context, path string, names []string, now func() time.Time) (renewals []Renewal, err error) {
	for _, name := range names {
		if !slices.Contains(LeafCertificates(), name) {
			return nil, fmt.Errorf("certificate %q cannot be renewed by name; name %q or %q", name, ServingCertificate, AdminCertificate)
		}
	}
	dir, err := existingDirectory(path)
	if err != nil {
		return nil, err
	}
	// Another user's files would be unreadable for the server.
	if err := restrictDirectory(dir.path); err != nil {
		return nil, err
	}
	unlock, err := dir.LockCertificates(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()

	issuer := &issuer{now: now()}
	err = issuer.renew(dir, names)
	return issuer.renewals, err
}

// renew renews the CA if necessary, the leaves of these names, and what the kubeconfig
// has of the administrator's.
func (i *issuer) renew(dir *DataDirectory, names []string) error {
	pairs := map[string]*parsedKeyPair{}
	for _, name := range append([]string{CACertificate}, names...) {
		pair, err := readKeyPair(dir.pkiPath(), name)
		if err != nil {
			return err
		}
		if pair.certificate == nil {
			return fmt.Errorf("%s is missing; start the server, which creates it", pair.CertificateFile)
		}
		pairs[name] = pair
	}
	ca := pairs[CACertificate]
	oldCA := ca.CertificatePEM
	if err := i.ensureCA(ca); err != nil {
		return err
	}
	for _, name := range names {
		if err := i.renewLeaf(pairs[name], ca); err != nil {
			return err
		}
	}
	if err := SyncDirectory(dir.pkiPath()); err != nil {
		return err
	}
	admin := pairs[AdminCertificate]
	if admin == nil {
		return nil
	}
	changed, err := renewInKubeconfig(dir.KubeconfigPath(), oldCA, ca.KeyPair, admin.KeyPair)
	if changed {
		i.renewals = append(i.renewals, KubeconfigRenewal(dir, admin.KeyPair))
	}
	return err
}

func (i *issuer) renewLeaf(leaf, ca *parsedKeyPair) error {
	if err := checkLeaf(leaf); err != nil {
		return err
	}
	return i.signLeaf(leaf, ca, leafTemplates(namesOf(leaf.certificate))[leaf.name], nil, "requested")
}

// KubeconfigRenewal is the renewal of a kubeconfig that was written with the
// administrator's certificate.
func KubeconfigRenewal(dir *DataDirectory, admin KeyPair) Renewal {
	return Renewal{
		Certificate: KubeconfigName,
		File:        dir.KubeconfigPath(),
		Reason:      "its content changed",
		NotAfter:    admin.NotAfter,
	}
}
