package embedded

import (
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// subjectNames are the names and addresses a serving certificate is valid for,
// sorted and without repetition.
type subjectNames struct {
	dns []string
	ips []netip.Addr
}

// namesOf sorts hosts into names and addresses and adds those of the loopback.
func namesOf(hosts []string) (subjectNames, error) {
	names := subjectNames{
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
			return subjectNames{}, fmt.Errorf("serving certificate: %q is neither an IP address nor a host name; give one, without a port", host)
		}
		names.dns = append(names.dns, name)
	}
	names.normalize()
	return names, nil
}

// equal says whether the certificate is for these names and no others.
func (n subjectNames) equal(certificate *x509.Certificate) bool {
	has := subjectNames{dns: slices.Clone(certificate.DNSNames)}
	for _, ip := range certificate.IPAddresses {
		if address, ok := netip.AddrFromSlice(ip); ok {
			has.ips = append(has.ips, address.Unmap())
		}
	}
	has.normalize()
	return slices.Equal(n.dns, has.dns) && slices.Equal(n.ips, has.ips)
}

func (n subjectNames) netIPs() []net.IP {
	ips := make([]net.IP, 0, len(n.ips))
	for _, address := range n.ips {
		ips = append(ips, address.AsSlice())
	}
	return ips
}

func (n *subjectNames) normalize() {
	slices.Sort(n.dns)
	n.dns = slices.Compact(n.dns)
	slices.SortFunc(n.ips, netip.Addr.Compare)
	n.ips = slices.Compact(n.ips)
}

// isHostName accepts what crypto/x509 will match: letters, digits, hyphens and,
// because machines are called so, underscores.
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
