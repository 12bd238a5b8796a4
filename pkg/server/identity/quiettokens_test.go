package identity

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/klog/v2"
)

// logOf returns what is logged at any verbosity until the test ends.
func logOf(t *testing.T) func() string {
	t.Helper()
	t.Cleanup(klog.CaptureState().Restore)
	var mu sync.Mutex
	var lines strings.Builder
	klog.SetLoggerWithOptions(funcr.New(func(prefix, line string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(&lines, prefix, line)
	}, funcr.Options{Verbosity: 10}), klog.ContextualLogger(true))
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return lines.String()
	}
}

func TestNoTokenIsLoggedAtAnyVerbosity(t *testing.T) {
	for _, test := range []struct {
		name  string
		flags func(kubeconfig string) []string
	}{
		{"behind a kube-apiserver", func(kubeconfig string) []string {
			return []string{"--kubeconfig=" + kubeconfig, "--authentication-skip-lookup"}
		}},
		{"with webhooks", func(kubeconfig string) []string {
			return []string{"--authentication-token-webhook-config-file=" + kubeconfig, "--authorization-webhook-config-file=" + kubeconfig}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			cluster := newReviewer(t)
			cluster.users = map[string]authenticationv1.UserInfo{"valid-7f3a": {Username: "alice"}}
			cluster.allow = func(authorizationv1.SubjectAccessReviewSpec) bool { return true }
			server := newTestServer(t, newTestOptions(t, test.flags(cluster.kubeconfig(t))...), "")

			log := logOf(t)
			require.Equal(t, known("alice"), server.withToken(objects, "valid-7f3a"))
			require.Equal(t, http.StatusUnauthorized, server.withToken(objects, "guess-9b1c").Status)
			require.Contains(t, log(), "SubjectAccessReview", "other bodies are logged, or this test tests nothing")
			for _, token := range []string{"7f3a", "9b1c"} {
				require.NotContains(t, log(), token)
			}
		})
	}
}
