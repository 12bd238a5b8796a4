package embedded

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/pem"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const day = 24 * time.Hour

// begin is the time of the first start in these tests.
func begin() time.Time { return time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC) }

func at(moment time.Time) func() time.Time { return func() time.Time { return moment } }

// certified opens a data directory with certificates of the begin.
func certified(t *testing.T) (dir *DataDirectory, pki string, certificates Certificates) {
	t.Helper()
	dir = openDirectory(t, filepath.Join(t.TempDir(), "data"))
	certificates, err := EnsureCertificates(dir, nil, at(begin()))
	require.NoError(t, err)
	return dir, filepath.Join(dir.Path(), "pki"), certificates
}

func TestEnsureCertificatesCreatesWhatTheServerNeeds(t *testing.T) {
	dir := openDirectory(t, filepath.Join(t.TempDir(), "data"))
	certificates, err := EnsureCertificates(dir, []string{"Alone.example.com", "10.1.2.3", "0.0.0.0", "::", "[fd00::7]", "127.0.0.1", "my_laptop.local."}, at(begin()))
	require.NoError(t, err)

	pki := filepath.Join(dir.Path(), "pki")
	assert.Equal(t, os.FileMode(0o700), modeOf(t, pki))
	assert.Equal(t, []string{"admin.crt", "admin.key", "ca.crt", "ca.key", "serving.crt", "serving.key"}, slices.Sorted(maps.Keys(contents(t, pki))))

	assert.Len(t, certificates.Renewals, 3)
	for name, pair := range map[string]KeyPair{"ca": certificates.CA, "serving": certificates.Serving, "admin": certificates.Admin} {
		assert.Equal(t, filepath.Join(pki, name+".crt"), pair.CertificateFile)
		assert.Equal(t, filepath.Join(pki, name+".key"), pair.KeyFile)
		assert.Equal(t, os.FileMode(0o644), modeOf(t, pair.CertificateFile))
		assert.Equal(t, os.FileMode(0o600), modeOf(t, pair.KeyFile))
		assert.Equal(t, read(t, pair.CertificateFile), string(pair.CertificatePEM))
		assert.Equal(t, read(t, pair.KeyFile), string(pair.KeyPEM))
		certificate := parse(t, pair)
		key, ok := certificate.PublicKey.(*ecdsa.PublicKey)
		require.True(t, ok)
		assert.Equal(t, elliptic.P256(), key.Curve)
		assert.True(t, certificate.NotAfter.Equal(pair.NotAfter))
	}
	assert.Equal(t, begin().Add(3650*day), certificates.CA.NotAfter)
	assert.Equal(t, begin().Add(365*day), certificates.Serving.NotAfter)
	assert.Equal(t, begin().Add(365*day), certificates.Admin.NotAfter)

	admin := parse(t, certificates.Admin)
	assert.Equal(t, "CN=flowcontrol-admin,O=system:masters", admin.Subject.String())
	require.NoError(t, verify(t, certificates, admin, x509.ExtKeyUsageClientAuth, ""))
	assert.Error(t, verify(t, certificates, admin, x509.ExtKeyUsageServerAuth, ""), "the administrator's certificate can serve")

	serving := parse(t, certificates.Serving)
	for _, host := range []string{"localhost", "127.0.0.1", "::1", "alone.example.com", "10.1.2.3", "fd00::7", "my_laptop.local"} {
		assert.NoError(t, verify(t, certificates, serving, x509.ExtKeyUsageServerAuth, host))
	}
	assert.Error(t, verify(t, certificates, serving, x509.ExtKeyUsageServerAuth, "0.0.0.0"))
	assert.Error(t, verify(t, certificates, serving, x509.ExtKeyUsageClientAuth, ""), "the serving certificate can log in")
}

func TestEnsureCertificatesOnALaterStart(t *testing.T) {
	hosts := []string{"alone.example.com", "10.1.2.3"}
	all := []string{"admin.crt", "ca.crt", "serving.crt"}
	leaves := []string{"admin.crt", "serving.crt"}
	tests := map[string]struct {
		after   time.Duration
		hosts   []string
		prepare func(t *testing.T, pki string)
		changed []string
	}{
		"changes nothing soon after":                            {after: time.Second},
		"changes nothing when 30 days are left":                 {after: 335 * day},
		"renews the leaves when less than 30 days are left":     {after: 335*day + time.Second, changed: leaves},
		"renews the leaves after their end":                     {after: 800 * day, changed: leaves},
		"keeps the CA when a year is left of it":                {after: 3285 * day, changed: leaves},
		"renews the CA too when less than a year is left of it": {after: 3285*day + time.Second, changed: all},
		"renews all after the clock was set back":               {after: -day, changed: all},
		"changes nothing for the same hosts in another order":   {after: day, hosts: []string{"10.1.2.3", "localhost", "ALONE.example.com"}},
		"renews the serving certificate for another host":       {after: day, hosts: append(hosts, "other"), changed: []string{"serving.crt"}},
		"renews the serving certificate for a host less":        {after: day, hosts: hosts[:1], changed: []string{"serving.crt"}},
		"creates a CA for one that was removed, and new leaves": {
			prepare: func(t *testing.T, pki string) { remove(t, pki, "ca.crt", "ca.key") },
			changed: []string{"admin.crt", "ca.crt", "ca.key", "serving.crt"},
		},
		"creates a pair that was removed": {
			prepare: func(t *testing.T, pki string) { remove(t, pki, "admin.crt", "admin.key") },
			changed: []string{"admin.crt", "admin.key"},
		},
		"completes a first start interrupted before the first certificate": {
			prepare: func(t *testing.T, pki string) {
				remove(t, pki, "ca.crt", "serving.crt", "serving.key", "admin.crt", "admin.key")
			},
			changed: []string{"admin.crt", "admin.key", "ca.crt", "serving.crt", "serving.key"},
		},
		"completes a first start interrupted before the last certificate": {
			prepare: func(t *testing.T, pki string) { remove(t, pki, "admin.crt") },
			changed: []string{"admin.crt"},
		},
		"replaces a certificate of its own that is for another use": {
			prepare: func(t *testing.T, pki string) {
				write(t, filepath.Join(pki, "admin.crt"), read(t, filepath.Join(pki, "serving.crt")))
				write(t, filepath.Join(pki, "admin.key"), read(t, filepath.Join(pki, "serving.key")))
			},
			changed: []string{"admin.crt"},
		},
		"restricts keys to their owner": {
			prepare: func(t *testing.T, pki string) {
				require.NoError(t, os.Chmod(filepath.Join(pki, "serving.key"), 0o644))
				require.NoError(t, os.Chmod(pki, 0o755))
			},
		},
		"is not disturbed by what an interrupted write left": {
			prepare: func(t *testing.T, pki string) {
				write(t, filepath.Join(pki, ".admin.crt.new"), "half")
			},
			after:   336 * day,
			changed: append([]string{".admin.crt.new"}, leaves...),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := openDirectory(t, filepath.Join(t.TempDir(), "data"))
			pki := filepath.Join(dir.Path(), "pki")
			_, err := EnsureCertificates(dir, hosts, at(begin()))
			require.NoError(t, err)
			if test.prepare != nil {
				test.prepare(t, pki)
			}
			before := contents(t, pki)
			later := hosts
			if test.hosts != nil {
				later = test.hosts
			}
			moment := begin().Add(test.after)
			certificates, err := EnsureCertificates(dir, later, at(moment))
			require.NoError(t, err)

			assert.Equal(t, test.changed, differences(before, contents(t, pki)))
			assert.Equal(t, os.FileMode(0o700), modeOf(t, pki))
			for _, pair := range []KeyPair{certificates.Serving, certificates.Admin} {
				assert.False(t, pair.NotAfter.Before(moment.Add(renewalMargin)))
				assert.False(t, pair.NotAfter.After(certificates.CA.NotAfter))
				assert.Equal(t, os.FileMode(0o600), modeOf(t, pair.KeyFile))
				assert.Equal(t, os.FileMode(0o644), modeOf(t, pair.CertificateFile))
			}
			require.NoError(t, verifyAt(t, moment, certificates, parse(t, certificates.Serving), x509.ExtKeyUsageServerAuth, "alone.example.com"))
			require.NoError(t, verifyAt(t, moment, certificates, parse(t, certificates.Admin), x509.ExtKeyUsageClientAuth, ""))
		})
	}
}

// contents returns the contents of the files in a folder, by name.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	all := map[string]string{}
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			all[entry.Name()] = read(t, filepath.Join(folder, entry.Name()))
		}
	}
	return all
}

// differences lists the files that were added, changed or removed.
func differences(before, after map[string]string) []string {
	all := maps.Clone(before)
	maps.Copy(all, after)
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		old, was := before[name]
		current, is := after[name]
		if was != is || old != current {
			changed = append(changed, name)
		}
	}
	return changed
}

func remove(t *testing.T, folder string, names ...string) {
	t.Helper()
	for _, name := range names {
		require.NoError(t, os.Remove(filepath.Join(folder, name)))
	}
}

func parse(t *testing.T, pair KeyPair) *x509.Certificate {
	t.Helper()
	block, rest := pem.Decode(pair.CertificatePEM)
	require.NotNil(t, block)
	require.Empty(t, rest)
	certificate, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	return certificate
}

func verify(t *testing.T, certificates Certificates, certificate *x509.Certificate, usage x509.ExtKeyUsage, host string) error {
	t.Helper()
	return verifyAt(t, begin(), certificates, certificate, usage, host)
}

func verifyAt(t *testing.T, moment time.Time, certificates Certificates, certificate *x509.Certificate, usage x509.ExtKeyUsage, host string) error {
	t.Helper()
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(certificates.CA.CertificatePEM))
	_, err := certificate.Verify(x509.VerifyOptions{
		Roots: roots, CurrentTime: moment, KeyUsages: []x509.ExtKeyUsage{usage}, DNSName: host,
	})
	return err
}
