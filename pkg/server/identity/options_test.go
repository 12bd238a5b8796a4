package identity

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	cliflag "k8s.io/component-base/cli/flag"
)

func TestFlagsAreInTheirGroups(t *testing.T) {
	var sets cliflag.NamedFlagSets
	NewOptions().AddFlags(&sets)
	require.Equal(t, []string{"authentication", "authorization"}, sets.Order)
	for _, flag := range []string{"kubeconfig", "authentication-kubeconfig", "client-ca-file", "requestheader-username-headers", "token-auth-file", "authentication-config", "oidc-issuer-url", "authentication-token-webhook-cache-ttl", "api-audiences"} {
		require.NotNil(t, sets.FlagSet("authentication").Lookup(flag), flag)
	}
	for _, flag := range []string{"authorization-kubeconfig", "authorization-webhook-config-file", "authorization-webhook-version", "authorization-always-allow-paths"} {
		require.NotNil(t, sets.FlagSet("authorization").Lookup(flag), flag)
	}
	help := sets.FlagSet("authentication").FlagUsages()
	_, after, found := strings.Cut(help, "--authentication-token-webhook-cache-ttl")
	require.True(t, found)
	line, _, _ := strings.Cut(after, "\n")
	require.NotContains(t, line, "(default", "the default differs between the two ways to run")
}

func TestWhoIsAskedForIdentities(t *testing.T) {
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
		{"a kubeconfig for tokens", noPod, false, []string{"--authentication-kubeconfig=" + kubeconfig}, cluster.web.URL},
		{"a kubeconfig for permissions", noPod, false, []string{"--authorization-kubeconfig=" + kubeconfig}, cluster.web.URL},
		{"in a pod", pod, true, nil, "https://pod"},
		{"in a pod, with a kubeconfig", pod, true, []string{"--kubeconfig=" + kubeconfig}, cluster.web.URL},
		{"in a pod that is to be alone", pod, false, nil, ""},
		{"in a pod with local identities", pod, true, []string{"--token-auth-file=x"}, ""},
		{"in a pod with local permissions", pod, true, []string{"--authorization-webhook-config-file=x"}, ""},
		{"in a pod without service account", noToken, true, nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			options := newTestOptions(t, test.flags...)
			options.inCluster, options.InClusterAllowed = test.inCluster, test.allowed
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
	t.Run("a kubeconfig that is not there", func(t *testing.T) {
		_, err := newTestOptions(t, "--kubeconfig=/nowhere").ClientConfig()
		require.ErrorContains(t, err, "--kubeconfig=/nowhere")
	})
}

func TestLifetimesAreKubeAPIServersUnlessGiven(t *testing.T) {
	options := newTestOptions(t, "--authorization-webhook-cache-authorized-ttl=7s")
	require.Equal(t, 2*time.Minute, options.lifetime(tokenWebhookTTLFlag, options.Authentication.CacheTTL, defaultTokenWebhookTTL))
	require.Equal(t, 7*time.Second, options.lifetime(authorizationAllowedTTLFlag, options.Authorization.AllowCacheTTL, defaultAllowedTTL))
	require.Equal(t, 30*time.Second, options.lifetime(authorizationDeniedTTLFlag, options.Authorization.DenyCacheTTL, defaultDeniedTTL))
}
