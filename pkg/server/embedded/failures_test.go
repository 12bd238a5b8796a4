package embedded

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestACertificateThatFailsDoesNotKeepOthersFromBeingRenewed(t *testing.T) {
	tests := map[string]struct {
		prepare func(t *testing.T, pki string)
		says    string
		renewed []string
	}{
		"a serving certificate of other hands": {
			prepare: func(t *testing.T, pki string) { putSelfSigned(t, pki, "serving", "alone.example.com") },
			says:    "was not created by this server",
			renewed: []string{AdminCertificate},
		},
		"an administrator's certificate that cannot be written": {
			prepare: func(t *testing.T, pki string) { obstruct(t, pki, "admin.crt") },
			says:    "admin.crt cannot be written",
			renewed: []string{ServingCertificate},
		},
		"a CA of other hands, which nothing can be renewed with": {
			prepare: func(t *testing.T, pki string) { putSelfSigned(t, pki, "ca", "Example Corp CA") },
			says:    "Example Corp CA",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir, pki, _ := certified(t)
			test.prepare(t, pki)
			before := contents(t, pki)

			certificates, err := EnsureCertificates(dir, nil, at(begin().Add(340*day)))
			require.ErrorContains(t, err, test.says)
			assert.Equal(t, test.renewed, renewedNames(certificates.Renewals))
			var changed []string
			for _, name := range test.renewed {
				changed = append(changed, name+".crt")
			}
			assert.Equal(t, changed, differences(before, contents(t, pki)))
		})
	}
}

// obstruct makes writing a file fail.
func obstruct(t *testing.T, folder, name string) {
	t.Helper()
	obstacle := filepath.Join(folder, "."+name+".new")
	require.NoError(t, os.Mkdir(obstacle, 0o700))
	write(t, filepath.Join(obstacle, "file"), "") // or it would be removed as a leftover
}
