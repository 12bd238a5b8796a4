package kubectl

import (
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// TestNoFlagLeadsElsewhere parses the arguments as kubectl does.
func TestNoFlagLeadsElsewhere(t *testing.T) {
	for name, args := range map[string][]string{
		"nothing is given":           {"get", "pods"},
		"all flags are given":        {"get", "pods", "--server=https://real", "--kubeconfig=/real", "--context=real", "--cluster=real", "--user=real", "--token=real", "--client-certificate=/real", "--client-key=/real"},
		"words of their own":         {"get", "pods", "--server", "https://real", "--kubeconfig", "/real", "--token", "real"},
		"shorthand":                  {"get", "pods", "-s", "https://real"},
		"arguments of another":       {"exec", "web", "--server=https://real", "--", "kubectl", "--server=https://inner"},
		"the last flag has no value": {"get", "pods", "--server=https://real", "-n"},
	} {
		t.Run(name, func(t *testing.T) {
			config := genericclioptions.NewConfigFlags(false)
			flags := pflag.NewFlagSet("kubectl", pflag.ContinueOnError)
			config.AddFlags(flags)
			require.NoError(t, flags.Parse(override(args, "/temporary", "http://here")))
			assert.Equal(t, "http://here", *config.APIServer)
			assert.Empty(t, *config.BearerToken+*config.CertFile+*config.KeyFile)
			assert.Equal(t, "/temporary/config", *config.KubeConfig)
			assert.Equal(t, contextName, *config.Context)
		})
	}
}

func TestTheEnvironmentLeadsNowhere(t *testing.T) {
	got := environment([]string{
		"KUBECONFIG=/real", "HOME=/root", "PATH=/bin", "TMPDIR=/tmp", "KUBERNETES_SERVICE_HOST=10.0.0.1", "KUBERNETES_SERVICE_PORT=443",
		"EDITOR=vi", "KUBE_EDITOR=vi", "KUBECTL_EXTERNAL_DIFF=rm", "KUBECTL_COMMAND_HEADERS=0", "LANG=C", "KUBECTL_REMOTE_COMMAND_WEBSOCKETS=false",
	}, "/temporary")
	assert.Equal(t, []string{
		"LANG=C", "KUBECTL_REMOTE_COMMAND_WEBSOCKETS=false", "HOME=/temporary", "USERPROFILE=/temporary", "PATH=/temporary", "TMPDIR=/temporary", "TMP=/temporary", "TEMP=/temporary", "KUBECONFIG=/temporary/config",
		"KUBE_EDITOR=helper", "KUBECTL_EXTERNAL_DIFF=helper",
	}, got)
}
