package app

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/renewal"
)

const day = 24 * time.Hour

// begin is when the certificates of these tests were issued.
func begin() time.Time { return time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC) }

// usedDataDirectory returns a data directory that a server has used.
func usedDataDirectory(t *testing.T) string {
	t.Helper()
	dir, err := embedded.OpenDataDirectory(filepath.Join(t.TempDir(), "data"))
	require.NoError(t, err)
	certificates, err := embedded.EnsureCertificates(dir, nil, begin)
	require.NoError(t, err)
	_, err = embedded.WriteKubeconfig(dir, "https://127.0.0.1:6443", certificates)
	require.NoError(t, err)
	require.NoError(t, dir.Close())
	return dir.Path()
}

// checkAt runs certs check at a time after the begin.
func checkAt(dir, output string, after time.Duration) (string, error) {
	var out bytes.Buffer
	check := &certsCheck{dataDir: dir, output: output, clock: clocktesting.NewFakePassiveClock(begin().Add(after))}
	err := check.run(&out)
	return out.String(), err
}

func TestCertsCheckShowsWhenCertificatesExpire(t *testing.T) {
	out, err := checkAt(usedDataDirectory(t), "table", day)
	require.NoError(t, err)
	require.Equal(t, `CERTIFICATE        EXPIRES                RESIDUAL TIME   AUTHORITY   STATUS
ca                 2040-02-27T12:00:00Z   9y              ca          valid
serving            2031-03-01T12:00:00Z   364d            ca          valid
admin              2031-03-01T12:00:00Z   364d            ca          valid
admin.kubeconfig   2031-03-01T12:00:00Z   364d            ca          valid
`, out)
}

func TestCertsCheckFailsIfACertificateIsNotValidForLong(t *testing.T) {
	for name, test := range map[string]struct {
		after time.Duration
		says  string
	}{
		"due":           {336 * day, "serving.crt: renewal due: a running server renews it within minutes"},
		"expired":       {400 * day, "serving.crt: expired"},
		"not yet valid": {-day, "check the clock"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := usedDataDirectory(t)
			out, err := checkAt(dir, "table", test.after)
			require.ErrorContains(t, err, test.says)
			require.Contains(t, out, "admin.kubeconfig", "the table is complete")
		})
	}
	t.Run("of other hands", func(t *testing.T) {
		dir := usedDataDirectory(t)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "pki", "serving.crt"), []byte("rubbish"), 0o600))
		out, err := checkAt(dir, "table", 0)
		require.ErrorContains(t, err, "serving.crt contains no valid certificate")
		require.Regexp(t, `(?m)^serving +unknown +unknown +unknown +unusable$`, out)
	})
}

func TestCertsCheckWritesJSON(t *testing.T) {
	dir := usedDataDirectory(t)
	require.NoError(t, os.Remove(filepath.Join(dir, "pki", "admin.crt")))
	out, err := checkAt(dir, "json", day)
	require.Error(t, err)
	var list certificateList
	require.NoError(t, json.Unmarshal([]byte(out), &list))
	require.Len(t, list.Certificates, 4)
	serving, admin := list.Certificates[1], list.Certificates[2]
	require.Equal(t, "serving", serving.Name)
	require.Equal(t, filepath.Join(dir, "pki", "serving.crt"), serving.File)
	require.Equal(t, begin().Add(365*day), *serving.ExpirationDate)
	require.EqualValues(t, 364*24*3600, *serving.ResidualSeconds)
	require.Equal(t, "valid", serving.Status)
	require.Equal(t, "unusable", admin.Status)
	require.Contains(t, admin.Error, "admin.crt is missing")
	require.Nil(t, admin.ExpirationDate)
}

func TestCertsCommandsRejectWhatTheyCannotDo(t *testing.T) {
	empty := t.TempDir()
	for name, test := range map[string]struct {
		args []string
		says []string
	}{
		"an output that does not exist":          {[]string{"check", "-o", "yaml"}, []string{"--output=yaml must be table or json"}},
		"check of a directory of no server":      {[]string{"check", "--data-dir", empty}, []string{empty, "has no certificates", "--data-dir"}},
		"renewal in a directory of no server":    {[]string{"renew", "--data-dir", empty}, []string{empty, "has no certificates", "--data-dir"}},
		"renewal of the CA":                      {[]string{"renew", "ca", "--data-dir", empty}, []string{`"ca" cannot be renewed by name`, `"serving" or "admin"`}},
		"a flag that does not exist":             {[]string{"renew", "--force"}, []string{"--force", "flowcontrol-apiserver certs renew --help lists the flags"}},
		"a command that does not exist":          {[]string{"create"}, []string{`"create"`}},
		"an argument of a command that has none": {[]string{"check", "serving"}, []string{`"serving"`}},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := execute(t, append([]string{"certs"}, test.args...)...)
			for _, text := range test.says {
				require.ErrorContains(t, err, text)
			}
			require.Empty(t, out, "main says it, once")
			entries, err := os.ReadDir(empty)
			require.NoError(t, err)
			require.Empty(t, entries)
		})
	}
}

func TestCertsRenewSaysWhatItWroteAndWhatIsLeftToDo(t *testing.T) {
	dir := usedDataDirectory(t)
	renew := func(args ...string) string {
		var out bytes.Buffer
		renew := &certsRenew{dataDir: dir, clock: clocktesting.NewFakePassiveClock(begin().Add(day))}
		require.NoError(t, renew.run(t.Context(), &out, args))
		return out.String()
	}
	serving := "Renewed serving, valid until 2031-03-02T12:00:00Z\n"
	admin := "Renewed admin, valid until 2031-03-02T12:00:00Z\n"
	kubeconfig := "Renewed admin.kubeconfig, valid until 2031-03-02T12:00:00Z\n"
	reload := "A running server serves the new certificate within a minute. No restart is needed.\n"
	replace := "Replace copies of admin.kubeconfig before they expire.\n"
	for _, all := range [][]string{nil, {"all"}, {"serving", "admin"}} {
		require.Equal(t, serving+admin+kubeconfig+reload+replace, renew(all...))
	}
	require.Equal(t, serving+reload, renew("serving"))
	require.Equal(t, admin+kubeconfig+replace, renew("admin"))
	require.NoError(t, os.Remove(filepath.Join(dir, "admin.kubeconfig")))
	require.Equal(t, admin+"No kubeconfig was written, since there is none in the data directory.\n", renew("admin"))
}

func TestHelpOfTheCertsCommandsIsTheirOwn(t *testing.T) {
	for _, args := range [][]string{{"certs"}, {"certs", "--help"}} {
		out, err := execute(t, args...)
		require.NoError(t, err)
		require.Contains(t, out, "Show when the certificates expire")
		require.NotContains(t, out, "--secure-port", "the server's flags")
	}
	for command, text := range map[string]string{"check": "exit status is 1", "renew": "renew [all|serving|admin]..."} {
		out, err := execute(t, "certs", command, "--help")
		require.NoError(t, err)
		require.Contains(t, out, text)
		require.Contains(t, out, "--data-dir string")
		require.NotContains(t, out, "--secure-port", "the server's flags")
	}
}

func TestCertsRenewSecretsTellsWhatBecameOfEach(t *testing.T) {
	dir := usedDataDirectory(t)
	secret := func(name, pair string) *corev1.Secret {
		certificate, err := os.ReadFile(filepath.Join(dir, "pki", pair+".crt"))
		require.NoError(t, err)
		key, err := os.ReadFile(filepath.Join(dir, "pki", pair+".key"))
		require.NoError(t, err)
		return &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "flowcontrol-system"},
			Data:       map[string][]byte{"tls.crt": certificate, "tls.key": key},
		}
	}
	client := fake.NewClientset(secret("ca", "ca"), secret("flowcontrol-apiserver-serving", "serving"))
	renew := func(after time.Duration) string {
		var out bytes.Buffer
		command := &certsRenewSecrets{Secrets: renewal.Secrets{
			Client: client.CoreV1().Secrets("flowcontrol-system"), CA: "ca",
			Duration: 365 * day, RenewBefore: 30 * day, Clock: clocktesting.NewFakePassiveClock(begin().Add(after)),
		}}
		require.NoError(t, command.run(t.Context(), &out, nil))
		return out.String()
	}
	const others = "Secret flowcontrol-apiserver-etcd-client left alone: it does not exist\nSecret flowcontrol-etcd-tls left alone: it does not exist\n"
	require.Equal(t, "Secret flowcontrol-apiserver-serving valid until 2031-03-01T12:00:00Z\n"+others, renew(day))
	require.Equal(t, "Secret flowcontrol-apiserver-serving renewed, valid until 2032-02-01T12:00:00Z\n"+others, renew(337*day))
	require.Equal(t, "Secret flowcontrol-apiserver-serving valid until 2032-02-01T12:00:00Z\n"+others, renew(338*day))
}

func TestCertsRenewSecretsRejectsWhatCannotWork(t *testing.T) {
	_, err := execute(t, "certs", "renew-secrets")
	require.ErrorContains(t, err, "give the kubeconfig of a cluster, or run this in a pod")
	_, err = execute(t, "certs", "renew-secrets", "--kubeconfig="+filepath.Join(t.TempDir(), "absent"))
	require.ErrorContains(t, err, "absent")
	for _, renew := range []*certsRenewSecrets{
		{Secrets: renewal.Secrets{Duration: time.Hour, RenewBefore: time.Hour}},
		{Secrets: renewal.Secrets{Duration: time.Hour}},
	} {
		require.ErrorContains(t, renew.run(t.Context(), &bytes.Buffer{}, nil), "--duration=1h0m0s must be more than --renew-before=")
	}
}
