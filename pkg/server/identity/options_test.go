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
}

func TestHelpShowsNoDefaultOfOneModeAlone(t *testing.T) {
	var sets cliflag.NamedFlagSets
	NewOptions().AddFlags(&sets)
	for flag, set := range map[string]string{tokenWebhookTTLFlag: "authentication", authorizedTTLFlag: "authorization", unauthorizedTTLFlag: "authorization"} {
		_, after, found := strings.Cut(sets.FlagSet(set).FlagUsages(), "--"+flag+" duration")
		require.True(t, found, flag)
		line, _, _ := strings.Cut(after, "\n")
		require.Contains(t, line, "Default: 10s behind a kube-apiserver, ")
		require.NotContains(t, line, "(default")
		require.Empty(t, sets.FlagSet(set).Lookup(flag).DefValue)
	}
}

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
		{"in a pod with an issuer", pod, true, []string{"--oidc-issuer-url=https://x"}, ""},
		{"in a pod with a token webhook", pod, true, []string{"--authentication-token-webhook-config-file=x"}, ""},
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
	t.Run("a missing kubeconfig", func(t *testing.T) {
		_, err := newTestOptions(t, "--kubeconfig=/nowhere").ClientConfig()
		require.ErrorContains(t, err, "--kubeconfig=/nowhere")
	})
}

func TestCacheTTLsDefaultToKubeAPIServers(t *testing.T) {
	unset, options := newTestOptions(t), newTestOptions(t, "--authorization-webhook-cache-authorized-ttl=7s")
	require.Equal(t, 5*time.Minute, unset.cacheTTL(authorizedTTLFlag, unset.Authorization.AllowCacheTTL, localAuthorizedTTL))
	require.Equal(t, 10*time.Second, tokenSuccessTTL, "of tokens that are checked here")
	require.Equal(t, 2*time.Minute, options.cacheTTL(tokenWebhookTTLFlag, options.Authentication.CacheTTL, localTokenWebhookTTL))
	require.Equal(t, 7*time.Second, options.cacheTTL(authorizedTTLFlag, options.Authorization.AllowCacheTTL, localAuthorizedTTL))
	require.Equal(t, 30*time.Second, options.cacheTTL(unauthorizedTTLFlag, options.Authorization.DenyCacheTTL, localUnauthorizedTTL))
}
