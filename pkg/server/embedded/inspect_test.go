package embedded

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestInspectCertificatesSaysWhatIsToBeDone(t *testing.T) {
	states := func(ca, serving, admin, kubeconfig CertificateState) map[string]CertificateState {
		return map[string]CertificateState{"ca": ca, "serving": serving, "admin": admin, "admin.kubeconfig": kubeconfig}
	}
	tests := map[string]struct {
		after   time.Duration
		prepare func(t *testing.T, dir *DataDirectory)
		states  map[string]CertificateState
		says    string
	}{
		"all are valid when 30 days are left":         {after: 335 * day, states: states(StateValid, StateValid, StateValid, StateValid)},
		"leaves are due when less is left":            {after: 335*day + time.Second, states: states(StateValid, StateDue, StateDue, StateDue)},
		"leaves are expired after their end":          {after: 366 * day, states: states(StateValid, StateExpired, StateExpired, StateExpired)},
		"the CA is due a year before its end":         {after: 3286 * day, states: states(StateDue, StateExpired, StateExpired, StateExpired)},
		"none is valid yet by a clock that is behind": {after: -day, states: states(StateNotYetValid, StateNotYetValid, StateNotYetValid, StateNotYetValid)},
		"a certificate of other hands is unusable": {
			prepare: func(t *testing.T, dir *DataDirectory) {
				putSelfSigned(t, dir.pkiPath(), "serving", "alone.example.com")
			},
			states: states(StateValid, StateUnusable, StateValid, StateValid), says: "was not created by this server",
		},
		"a certificate that is missing is unusable": {
			prepare: func(t *testing.T, dir *DataDirectory) { remove(t, dir.pkiPath(), "admin.crt", "admin.key") },
			states:  states(StateValid, StateValid, StateUnusable, StateValid), says: "admin.crt is missing",
		},
		"a CA that cannot be read is unusable": {
			prepare: func(t *testing.T, dir *DataDirectory) { write(t, filepath.Join(dir.pkiPath(), "ca.crt"), "rubbish") },
			states:  states(StateUnusable, StateValid, StateValid, StateValid), says: "contains no valid certificate",
		},
		"a kubeconfig without the administrator is unusable": {
			prepare: func(t *testing.T, dir *DataDirectory) { write(t, dir.KubeconfigPath(), "{}") },
			states:  states(StateValid, StateValid, StateValid, StateUnusable), says: "it has no user flowcontrol-apiserver",
		},
		"a kubeconfig that does not exist is not missed": {
			prepare: func(t *testing.T, dir *DataDirectory) { remove(t, dir.Path(), "admin.kubeconfig") },
			states:  map[string]CertificateState{"ca": StateValid, "serving": StateValid, "admin": StateValid},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir, _ := startedOnce(t, true)
			if test.prepare != nil {
				test.prepare(t, dir)
			}
			before := contents(t, dir.pkiPath())
			statuses, err := InspectCertificates(dir.Path(), begin().Add(test.after))
			require.NoError(t, err)
			found, says := map[string]CertificateState{}, ""
			for _, status := range statuses {
				found[status.Certificate] = status.State
				assert.Equal(t, status.State == StateUnusable, status.Err != nil)
				if status.Err != nil {
					says += status.Err.Error()
				}
			}
			assert.Equal(t, test.states, found)
			assert.Contains(t, says, test.says)
			assert.Empty(t, differences(before, contents(t, dir.pkiPath())), "it wrote files")
		})
	}
}

func TestInspectCertificatesSaysWhoSignedThem(t *testing.T) {
	dir, _ := startedOnce(t, true)
	putSelfSigned(t, dir.pkiPath(), "serving", "alone.example.com")
	statuses, err := InspectCertificates(dir.Path(), begin())
	require.NoError(t, err)
	signed := map[string]bool{}
	for _, status := range statuses {
		signed[status.Certificate] = status.SignedByCA
	}
	assert.Equal(t, map[string]bool{"ca": true, "serving": false, "admin": true, "admin.kubeconfig": true}, signed)
}

func TestInspectCertificatesNeedsTheDirectoryOfAServer(t *testing.T) {
	for name, path := range map[string]string{"an empty directory": t.TempDir(), "none": filepath.Join(t.TempDir(), "absent")} {
		t.Run(name, func(t *testing.T) {
			_, err := InspectCertificates(path, begin())
			require.ErrorContains(t, err, "data directory "+path+" has no certificates")
			require.ErrorContains(t, err, "--data-dir")
		})
	}
}
