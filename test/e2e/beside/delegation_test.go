package beside

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func testDelegation(t *testing.T, s *site) {
	t.Run("a user arrives the same on both ways", func(t *testing.T) { testUsers(t, s) })
	t.Run("headers of the front proxy are its own", func(t *testing.T) { testForgedHeaders(t, s) })
	t.Run("strangers see health alone", func(t *testing.T) { testStrangers(t, s) })
	t.Run("roles of the cluster decide about every verb", func(t *testing.T) { testPermissions(t, s) })
	t.Run("webhooks and policies of the cluster take effect", func(t *testing.T) { testAdmission(t, s) })
	t.Run("flags decide which webhooks and policies take effect", func(t *testing.T) { testAdmissionFlags(t, s) })
	s.forgetAdmission(t)
}

// forgetAdmission deletes all webhooks and policies. Servers that still have the
// webhooks cached can call them: the webhooks end with the site.
func (s *site) forgetAdmission(t *testing.T) {
	t.Helper()
	admission, ctx := s.Client.AdmissionregistrationV1(), t.Context()
	mine := metav1.ListOptions{LabelSelector: ownLabel}
	require.NoError(t, admission.MutatingWebhookConfigurations().DeleteCollection(ctx, metav1.DeleteOptions{}, mine))
	require.NoError(t, admission.ValidatingWebhookConfigurations().DeleteCollection(ctx, metav1.DeleteOptions{}, mine))
	s.kubectl.RunInput(t, policy, "delete", "-f", "-")
}
