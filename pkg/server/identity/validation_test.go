package identity

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

func TestValidateErrorsSayWhatToDo(t *testing.T) {
	oidc := []string{"--oidc-issuer-url=https://issuer.example", "--oidc-client-id=flowcontrol"}
	tests := []struct {
		name  string
		flags []string
		// want has a part of each error, in their order.
		want []string
	}{
		{"no flags", nil, nil},
		{"all about OpenID Connect", append([]string{"--oidc-groups-claim=groups", "--oidc-required-claim=a=b"}, oidc...), nil},
		{"all about webhooks", []string{
			"--authentication-token-webhook-config-file=x", "--authentication-token-webhook-version=v1", "--authentication-token-webhook-cache-ttl=1m",
			"--authorization-webhook-config-file=x", "--authorization-webhook-version=v1", "--authorization-webhook-cache-authorized-ttl=0s",
		}, nil},
		{"all about a kube-apiserver", []string{
			"--kubeconfig=x", "--authentication-kubeconfig=x", "--authorization-kubeconfig=x", "--authentication-skip-lookup", "--authentication-tolerate-lookup-failure",
			"--authentication-token-webhook-cache-ttl=1m", "--authorization-webhook-cache-authorized-ttl=1m", "--client-ca-file=x",
			"--requestheader-client-ca-file=x", "--requestheader-allowed-names=front",
		}, nil},

		{"a token file behind a kube-apiserver", []string{"--kubeconfig=x", "--token-auth-file=y"},
			[]string{"--token-auth-file is only for a server without a kube-apiserver, but --kubeconfig delegates to one: remove one of the two"}},
		{"a token file beside a kubeconfig for tokens", []string{"--authentication-kubeconfig=x", "--authorization-kubeconfig=x", "--token-auth-file=y"},
			[]string{"but --authentication-kubeconfig delegates to one"}},
		{"OpenID Connect behind a kube-apiserver", append([]string{"--kubeconfig=x"}, oidc...),
			[]string{"--oidc-client-id is only for a server without", "--oidc-issuer-url is only for a server without"}},
		{"a configuration behind a kube-apiserver", []string{"--kubeconfig=x", "--authentication-config=y"}, []string{"--authentication-config is only for"}},
		{"webhooks behind a kube-apiserver", []string{"--kubeconfig=x", "--authentication-token-webhook-config-file=y", "--authorization-webhook-config-file=y", "--authorization-webhook-version=v1"},
			[]string{"--authentication-token-webhook-config-file is only for", "--authorization-webhook-config-file is only for", "--authorization-webhook-version is only for"}},
		{"audiences behind a kube-apiserver", []string{"--kubeconfig=x", "--api-audiences=a"}, []string{"--api-audiences is only for"}},

		{"authorization without authentication", []string{"--authorization-kubeconfig=x"},
			[]string{"--authentication-kubeconfig is not set: set it too, or set --kubeconfig for both"}},
		{"authentication without authorization", []string{"--authentication-kubeconfig=x"},
			[]string{"--authorization-kubeconfig is not set: set it too, or set --kubeconfig for both"}},
		{"a lookup without a kube-apiserver", []string{"--authentication-skip-lookup", "--authentication-tolerate-lookup-failure=false"},
			[]string{"--authentication-skip-lookup is only for a server behind a kube-apiserver: set --kubeconfig too", "--authentication-tolerate-lookup-failure is only for"}},

		{"a configuration and an issuer by flags", append([]string{"--authentication-config=x"}, oidc...),
			[]string{"--oidc-client-id and --authentication-config are mutually exclusive", "--oidc-issuer-url and --authentication-config are mutually exclusive"}},
		{"a configuration and a default of OpenID Connect, on the command line", []string{"--authentication-config=x", "--oidc-username-claim=sub"},
			[]string{"--oidc-username-claim and --authentication-config"}},
		{"a client without issuer", []string{"--oidc-client-id=a"}, []string{"--oidc-issuer-url and --oidc-client-id are both required"}},
		{"an issuer without client", []string{"--oidc-issuer-url=https://a"}, []string{"--oidc-issuer-url and --oidc-client-id are both required"}},
		{"a claim without issuer", []string{"--oidc-groups-claim=a"}, []string{"--oidc-issuer-url and --oidc-client-id are both required"}},
		{"an issuer without TLS", []string{"--oidc-issuer-url=http://a", "--oidc-client-id=a"}, []string{"URL scheme must be https"}},
		{"an unknown algorithm", append([]string{"--oidc-signing-algs=RS256,HS256"}, oidc...), []string{`--oidc-signing-algs: "HS256" must be one of ES256`}},
		{"no user name", append([]string{"--oidc-username-claim="}, oidc...), []string{"claimMappings.username"}},

		{"a version without token webhook", []string{"--authentication-token-webhook-version=v1"},
			[]string{"--authentication-token-webhook-version requires --authentication-token-webhook-config-file: set"}},
		{"a TTL without authorization webhook", []string{"--authorization-webhook-cache-unauthorized-ttl=1m"},
			[]string{"--authorization-webhook-cache-unauthorized-ttl requires --authorization-webhook-config-file: set"}},
		{"an unknown version of TokenReview", []string{"--authentication-token-webhook-config-file=x", "--authentication-token-webhook-version=v2"},
			[]string{"--authentication-token-webhook-version=v2: must be v1 or v1beta1"}},
		{"an unknown version of SubjectAccessReview", []string{"--authorization-webhook-config-file=x", "--authorization-webhook-version=1"},
			[]string{"--authorization-webhook-version=1: must be v1 or v1beta1"}},
		{"a negative TTL", []string{"--kubeconfig=x", "--authorization-webhook-cache-authorized-ttl=-1s"},
			[]string{"--authorization-webhook-cache-authorized-ttl=-1s: must be 0s (no caching) or greater"}},

		{"a front proxy's name without its CA bundle", []string{"--requestheader-allowed-names=front"},
			[]string{"--requestheader-allowed-names requires --requestheader-client-ca-file, the CA bundle of the front proxy: set"}},
		{"a path with a star inside", []string{"--authorization-always-allow-paths=/a*b"}, []string{"--authorization-always-allow-paths: only trailing *"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			errs := newTestOptions(t, test.flags...).Validate()
			require.Len(t, errs, len(test.want), "%v", errs)
			for i, want := range test.want {
				require.ErrorContains(t, errs[i], want)
			}
		})
	}
	t.Run("audiences in a pod that asks its cluster", func(t *testing.T) {
		options := newTestOptions(t, "--api-audiences=a")
		options.InClusterAllowed = true
		options.inCluster = func() (*rest.Config, error) { return &rest.Config{}, nil }
		errs := options.Validate()
		require.Len(t, errs, 1)
		require.ErrorContains(t, errs[0], "but the service account of this pod delegates to one")
	})
}
