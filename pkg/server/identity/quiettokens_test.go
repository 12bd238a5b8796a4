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
	cluster := newReviewer(t)
	cluster.users = map[string]authenticationv1.UserInfo{"valid-7f3a": {Username: "alice"}}
	cluster.allow = func(authorizationv1.SubjectAccessReviewSpec) bool { return true }
	server := newTestServer(t, newTestOptions(t, "--kubeconfig="+cluster.kubeconfig(t), "--authentication-skip-lookup"), "")

	log := logOf(t)
	require.Equal(t, known("alice"), server.withToken(objects, "valid-7f3a"))
	require.Equal(t, http.StatusUnauthorized, server.withToken(objects, "guess-9b1c").Status)
	require.Contains(t, log(), "SubjectAccessReview", "other bodies are logged, or this test tests nothing")
	for _, token := range []string{"7f3a", "9b1c"} {
		require.NotContains(t, log(), token)
	}
}
