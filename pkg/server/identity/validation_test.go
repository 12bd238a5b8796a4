package identity

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

func TestValidateErrorsSayWhatToDo(t *testing.T) {
	tests := []struct {
		name  string
		flags []string
		// want has a part of each error, in their order.
		want []string
	}{
		{"no flags", nil, nil},
		{"all about the webhook", []string{
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
		{"a configuration behind a kube-apiserver", []string{"--kubeconfig=x", "--authentication-config=y"}, []string{"--authentication-config is only for"}},
		{"a webhook behind a kube-apiserver", []string{"--kubeconfig=x", "--authorization-webhook-config-file=y", "--authorization-webhook-version=v1"},
			[]string{"--authorization-webhook-config-file is only for", "--authorization-webhook-version is only for"}},
		{"roles behind a kube-apiserver", []string{"--kubeconfig=x", "--authorization-rbac-file=y"}, []string{"--authorization-rbac-file is only for"}},

		{"authorization without authentication", []string{"--authorization-kubeconfig=x"},
			[]string{"--authentication-kubeconfig is not set: set it too, or set --kubeconfig for both"}},
		{"authentication without authorization", []string{"--authentication-kubeconfig=x"},
			[]string{"--authorization-kubeconfig is not set: set it too, or set --kubeconfig for both"}},
		{"a lookup without a kube-apiserver", []string{"--authentication-skip-lookup", "--authentication-tolerate-lookup-failure=false"},
			[]string{"--authentication-skip-lookup is only for a server behind a kube-apiserver: set --kubeconfig too", "--authentication-tolerate-lookup-failure is only for"}},

		{"a TTL without authorization webhook", []string{"--authorization-webhook-cache-unauthorized-ttl=1m"},
			[]string{"--authorization-webhook-cache-unauthorized-ttl requires --authorization-webhook-config-file: set"}},
		{"an unknown version of SubjectAccessReview", []string{"--authorization-webhook-config-file=x", "--authorization-webhook-version=1"},
			[]string{"--authorization-webhook-version=1: must be v1 or v1beta1"}},

		{"a front proxy without a kube-apiserver", []string{"--requestheader-client-ca-file=x"}, []string{"--requestheader-client-ca-file is only for a server behind"}},
		{"a front proxy's name without its CA bundle", []string{"--kubeconfig=x", "--requestheader-allowed-names=front"},
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
	t.Run("a version in a pod that asks its cluster", func(t *testing.T) {
		options := newTestOptions(t, "--authorization-webhook-version=v1")
		options.InClusterAllowed = true
		options.InCluster = func() (*rest.Config, error) { return &rest.Config{}, nil }
		errs := options.Validate()
		require.Len(t, errs, 1)
		require.ErrorContains(t, errs[0], "but the service account of this pod delegates to one")
	})
}
