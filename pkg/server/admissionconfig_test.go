package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

func TestAdmissionConfigurationThatWouldBeIgnoredIsRejected(t *testing.T) {
	const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n"
	const webhook = "{apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: /k"
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	write("webhook.yaml", "apiVersion: apiserver.config.k8s.io/v1\nkind: WebhookAdmissionConfiguration\nkubeConfigFile: /k\nstaticManifestsDir: /m\n")

	tests := []struct{ name, content, want string }{
		{"webhooks", head + "- name: MutatingAdmissionWebhook\n  configuration: " + webhook + "}\n", ""},
		{"a plug-in of kube-apiserver", head + "- name: PodSecurity\n  configuration: {what: ever}\n", ""},
		{"no configuration", head + "- name: ValidatingAdmissionPolicy\n", ""},
		{"manifests of webhooks", head + "- name: ValidatingAdmissionWebhook\n  configuration: " + webhook + ", staticManifestsDir: /m}\n",
			`plugins[0], ValidatingAdmissionWebhook: strict decoding error: unknown field "staticManifestsDir"; staticManifestsDir is of Kubernetes 1.36 and later, and has no effect on this server: remove it`},
		{"manifests of webhooks in another file", head + "- name: PodSecurity\n- name: ValidatingAdmissionWebhook\n  path: webhook.yaml\n",
			`plugins[1], ValidatingAdmissionWebhook: strict decoding error: unknown field "staticManifestsDir"; staticManifestsDir is of Kubernetes 1.36 and later, and has no effect on this server: remove it`},
		{"manifests of policies", head + "- name: ValidatingAdmissionPolicy\n  configuration: {apiVersion: apiserver.config.k8s.io/v1, kind: ValidatingAdmissionPolicyConfiguration, staticManifestsDir: /m}\n",
			"plugins[0], ValidatingAdmissionPolicy: configuration is of Kubernetes 1.36 and later, and has no effect on this server: remove it"},
		{"a file that is absent", head + "- name: ValidatingAdmissionWebhook\n  path: absent.yaml\n",
			"plugins[0], ValidatingAdmissionWebhook: open " + filepath.Join(folder, "absent.yaml") + ": no such file or directory"},
		{"a field that there is not", head + "- name: PodSecurity\n  mistaken: 1\n", `strict decoding error: unknown field "plugins[0].mistaken"`},
		{"another kind", "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources: []\n",
			"must contain an AdmissionConfiguration, but contains another kind (*apiserver.EncryptionConfiguration)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := checkAdmissionConfiguration(write("admission.yaml", test.content))
			_, readByLibrary := utilfeature.DefaultMutableFeatureGate.GetAll()[policyConfiguration]
			if test.want == "" || readByLibrary && strings.Contains(test.want, "1.36 and later") {
				assert.NoError(t, err)
				return
			}
			assert.EqualError(t, err, test.want)
		})
	}
}
