package embedded

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"
)

const (
	// AdminUser is the user name in the administrator's certificate.
	AdminUser = "flowcontrol-admin"
	// AdminGroup is the group in the administrator's certificate.
	AdminGroup = "system:masters"
)

// Certificates are the certificates of a server that runs alone.
type Certificates struct {
	// CA signs the other two. Its certificate is also the server's client CA file.
	CA KeyPair
	// Serving is the server's certificate.
	Serving KeyPair
	// Admin is the client certificate of the administrator.
	Admin KeyPair
	// Written lists the certificate files that this call wrote, each with what was
	// done, for a log.
	Written []string
}

// EnsureCertificates creates missing certificates below dir and keeps the valid
// ones. It renews a certificate that is not valid for another 30 days, was signed
// by another CA of this server, or has other names.
//
// Hosts are the names and IP addresses by which clients reach the server.
// localhost, 127.0.0.1 and ::1 are added; unspecified addresses (0.0.0.0, ::) are
// ignored. Now is the clock, and is read once.
//
// Leaf certificates are valid for 1 year and the CA for 10; a leaf never outlives
// the CA. Renewal keeps the key, so that a copy of ca.crt remains a trust anchor.
//
// A file that cannot be read, does not contain what its name says, or was not
// created by this server is never overwritten: the error names it and what to do.
func EnsureCertificates(dir *DataDirectory, hosts []string, now func() time.Time) (*Certificates, error) {
	names, err := newSubjectAltNames(hosts)
	if err != nil {
		return nil, err
	}
	if err := ensurePrivateDirectory(dir.pkiPath()); err != nil {
		return nil, err
	}
	pairs, err := openKeyPairs(dir.pkiPath(), "ca", "serving", "admin")
	if err != nil {
		return nil, err
	}
	ca, serving, admin := pairs[0], pairs[1], pairs[2]

	issuer := &issuer{now: now()}
	if err := issuer.ensureCA(ca); err != nil {
		return nil, err
	}
	if err := issuer.ensureLeaf(serving, ca, leafTemplate{
		subject: pkix.Name{CommonName: "flowcontrol-apiserver"},
		names:   names,
		usage:   x509.ExtKeyUsageServerAuth,
	}); err != nil {
		return nil, err
	}
	if err := issuer.ensureLeaf(admin, ca, leafTemplate{
		subject: pkix.Name{CommonName: AdminUser, Organization: []string{AdminGroup}},
		usage:   x509.ExtKeyUsageClientAuth,
	}); err != nil {
		return nil, err
	}
	if err := syncDirectory(dir.pkiPath()); err != nil {
		return nil, err
	}
	return &Certificates{CA: ca.KeyPair, Serving: serving.KeyPair, Admin: admin.KeyPair, Written: issuer.written}, nil
}

// subjectAltNames are the DNS names and IP addresses of a serving certificate,
// sorted and without repetition.
type subjectAltNames struct {
	dns []string
	ips []netip.Addr
}

// newSubjectAltNames separates hosts into names and addresses and adds those of
// the loopback.
func newSubjectAltNames(hosts []string) (subjectAltNames, error) {
	names := subjectAltNames{
		dns: []string{"localhost"},
		ips: []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()},
	}
	for _, host := range hosts {
		if address, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
			if address = address.Unmap().WithZone(""); !address.IsUnspecified() {
				names.ips = append(names.ips, address)
			}
			continue
		}
		name := strings.ToLower(strings.TrimSuffix(host, "."))
		if !isHostName(name) {
			return subjectAltNames{}, fmt.Errorf("serving certificate: %q is neither an IP address nor a host name; give one, without a port", host)
		}
		names.dns = append(names.dns, name)
	}
	names.normalize()
	return names, nil
}

// equal reports whether the certificate has exactly these names.
func (n subjectAltNames) equal(certificate *x509.Certificate) bool {
	has := subjectAltNames{dns: slices.Clone(certificate.DNSNames)}
	for _, ip := range certificate.IPAddresses {
		if address, ok := netip.AddrFromSlice(ip); ok {
			has.ips = append(has.ips, address.Unmap())
		}
	}
	has.normalize()
	return slices.Equal(n.dns, has.dns) && slices.Equal(n.ips, has.ips)
}

func (n subjectAltNames) netIPs() []net.IP {
	ips := make([]net.IP, 0, len(n.ips))
	for _, address := range n.ips {
		ips = append(ips, address.AsSlice())
	}
	return ips
}

func (n *subjectAltNames) normalize() {
	slices.Sort(n.dns)
	n.dns = slices.Compact(n.dns)
	slices.SortFunc(n.ips, netip.Addr.Compare)
	n.ips = slices.Compact(n.ips)
}

// isHostName reports whether crypto/x509 matches the name, which is in lower
// case: letters, digits, hyphens and, as in many machine names, underscores.
func isHostName(name string) bool {
	if len(name) > 253 {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}
