package identity

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInvalidKubeconfigErrorNamesFlagAndFile(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"missing", "/nowhere", "no such file"},
		{"empty", writeFile(t, "empty", ""), "names a server"},
		{"no YAML", writeFile(t, "invalid", "\t{"), "readable kubeconfig whose"},
		{"a missing CA bundle", writeFile(t, "ca", "apiVersion: v1\nkind: Config\nclusters: [{name: a, cluster: {server: https://127.0.0.1:1, certificate-authority: /nowhere.crt}}]\ncontexts: [{name: a, context: {cluster: a}}]\ncurrent-context: a\n"), "/nowhere.crt"},
	}
	for _, flag := range []string{authorizationWebhookFlag, "kubeconfig", "authentication-kubeconfig"} {
		for _, test := range tests {
			t.Run("--"+flag+" "+test.name, func(t *testing.T) {
				flags := []string{"--" + flag + "=" + test.file}
				if flag == "authentication-kubeconfig" {
					flags = append(flags, "--authorization-kubeconfig="+test.file)
				}
				_, err := apply(t, newTestOptions(t, flags...), "")
				require.ErrorContains(t, err, "--"+flag+"="+test.file)
				require.ErrorContains(t, err, test.want)
			})
		}
	}
}
