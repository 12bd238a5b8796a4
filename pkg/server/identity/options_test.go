package identity

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

func TestDelegatedSelectsTheKubeAPIServer(t *testing.T) {
	pod := func() (*rest.Config, error) { return &rest.Config{Host: "https://pod"}, nil }
	noPod := func() (*rest.Config, error) { return nil, rest.ErrNotInCluster }
	noToken := func() (*rest.Config, error) { return nil, errors.New("no token") }
	cluster := newReviewer(t)
	kubeconfig := cluster.kubeconfig(t)
	tests := []struct {
		name      string
		inCluster func() (*rest.Config, error)
		allowed   bool
		flags     []string
		host      string
	}{
		{"no flags", noPod, true, nil, ""},
		{"a kubeconfig", noPod, false, []string{"--kubeconfig=" + kubeconfig}, cluster.web.URL},
		{"a kubeconfig for authentication", noPod, false, []string{"--authentication-kubeconfig=" + kubeconfig}, cluster.web.URL},
		{"a kubeconfig for authorization", noPod, false, []string{"--authorization-kubeconfig=" + kubeconfig}, cluster.web.URL},
		{"in a pod", pod, true, nil, "https://pod"},
		{"in a pod, with a kubeconfig", pod, true, []string{"--kubeconfig=" + kubeconfig}, cluster.web.URL},
		{"in a pod, not allowed", pod, false, nil, ""},
		{"in a pod with local authentication", pod, true, []string{"--token-auth-file=x"}, ""},
		{"in a pod with local authorization", pod, true, []string{"--authorization-webhook-config-file=x"}, ""},
		{"in a pod with a file of roles", pod, true, []string{"--authorization-rbac-file=x"}, ""},
		{"in a pod with issuers", pod, true, []string{"--authentication-config=x"}, ""},
		{"in a pod without service account", noToken, true, nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			options := newTestOptions(t, test.flags...)
			options.InCluster, options.InClusterAllowed = test.inCluster, test.allowed
			require.Equal(t, test.host != "", options.Delegated())
			config, err := options.ClientConfig()
			require.NoError(t, err)
			if test.host == "" {
				require.Nil(t, config)
			} else {
				require.Equal(t, test.host, config.Host)
			}
		})
	}
	t.Run("a missing kubeconfig", func(t *testing.T) {
		_, err := newTestOptions(t, "--kubeconfig=/nowhere").ClientConfig()
		require.ErrorContains(t, err, "--kubeconfig=/nowhere")
	})
}
