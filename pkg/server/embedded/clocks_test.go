package embedded

import (
	"crypto/x509"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAWrongClockMakesNoCertificateInvalid lets a server renew its certificates by a clock
// that is wrong. Clients whose clocks are right accept what it renewed, and with a right
// clock the server has nothing to mend.
func TestAWrongClockMakesNoCertificateInvalid(t *testing.T) {
	right := begin().Add(100 * day)
	tests := map[string]struct {
		wrong   time.Time
		renewed []string
	}{
		"a clock a year ahead":         {right.Add(365 * day), []string{AdminCertificate, ServingCertificate}},
		"a clock thirty years ahead":   {right.Add(30 * 365 * day), []string{AdminCertificate, CACertificate, ServingCertificate}},
		"a clock a year behind":        {right.Add(-365 * day), []string{AdminCertificate, CACertificate, ServingCertificate}},
		"a clock that begins in 1970":  {time.Unix(60, 0), []string{AdminCertificate, CACertificate, ServingCertificate}},
		"a clock an hour ahead":        {right.Add(time.Hour), nil},
		"a clock behind by two months": {right.Add(-60 * day), nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir, _, before := certified(t)
			renewed, err := EnsureCertificates(dir, nil, at(test.wrong))
			require.NoError(t, err)
			assert.ElementsMatch(t, test.renewed, renewedNames(renewed.Renewals))

			for _, moment := range []time.Time{right, test.wrong} {
				for i, trust := range []Certificates{before, renewed} {
					if moment.Equal(test.wrong) && i == 0 {
						continue // a copy of the CA from another time
					}
					assert.NoError(t, verifyAt(t, moment, trust, parse(t, renewed.Serving), x509.ExtKeyUsageServerAuth, "localhost"))
					assert.NoError(t, verifyAt(t, moment, trust, parse(t, renewed.Admin), x509.ExtKeyUsageClientAuth, ""))
				}
			}
			mended, err := EnsureCertificates(dir, nil, at(right))
			require.NoError(t, err)
			assert.Empty(t, mended.Renewals)
		})
	}
}

func renewedNames(renewals []Renewal) []string {
	var names []string
	for _, renewal := range renewals {
		names = append(names, renewal.Certificate)
	}
	return names
}
