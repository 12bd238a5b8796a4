package embedded

import (
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// subjectAltNames are the DNS names and IP addresses of a serving certificate,
// sorted and without repetition.
type subjectAltNames struct {
	dns []string
	ips []netip.Addr
}

// newSubjectAltNames separates hosts into names and addresses and adds the loopback's.
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
	has := namesOf(certificate)
	return slices.Equal(n.dns, has.dns) && slices.Equal(n.ips, has.ips)
}

// namesOf returns the names and addresses of a certificate.
func namesOf(certificate *x509.Certificate) subjectAltNames {
	names := subjectAltNames{dns: slices.Clone(certificate.DNSNames)}
	for _, ip := range certificate.IPAddresses {
		if address, ok := netip.AddrFromSlice(ip); ok {
			names.ips = append(names.ips, address.Unmap())
		}
	}
	names.normalize()
	return names
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
