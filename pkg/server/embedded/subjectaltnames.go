package embedded

import (
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// subjectAltNames are the DNS names and IP addresses of a certificate, sorted and without repetition.
type subjectAltNames []string

// newSubjectAltNames returns hosts as a certificate has them, with the loopback's.
func newSubjectAltNames(hosts []string) (subjectAltNames, error) {
	names := []string{"localhost", "127.0.0.1", "::1"}
	for _, host := range hosts {
		if address, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
			if address = address.Unmap().WithZone(""); !address.IsUnspecified() {
				names = append(names, address.String())
			}
			continue
		}
		name := strings.ToLower(strings.TrimSuffix(host, "."))
		// Many names of machines have underscores, which crypto/x509 matches.
		if errs := validation.IsDNS1123Subdomain(strings.ReplaceAll(name, "_", "x")); len(errs) > 0 {
			return nil, fmt.Errorf("serving certificate: %q is neither an IP address nor a host name; give one, without a port", host)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// namesOf returns the names and addresses of a certificate.
func namesOf(certificate *x509.Certificate) subjectAltNames {
	names := slices.Clone(certificate.DNSNames)
	for _, ip := range certificate.IPAddresses {
		names = append(names, ip.String())
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// set gives them to a certificate.
func (n subjectAltNames) set(certificate *x509.Certificate) {
	for _, name := range n {
		if ip := net.ParseIP(name); ip != nil {
			certificate.IPAddresses = append(certificate.IPAddresses, ip)
		} else {
			certificate.DNSNames = append(certificate.DNSNames, name)
		}
	}
}
