package delegation

import "testing"

func TestTheClusterDecidesWhoMayDoWhat(t *testing.T) {
	s := startSite(t)
	t.Run("a user arrives the same on both ways", func(t *testing.T) { testUsers(t, s) })
	t.Run("headers of the front proxy are its own", func(t *testing.T) { testForgedHeaders(t, s) })
	t.Run("strangers see health alone", func(t *testing.T) { testStrangers(t, s) })
	t.Run("roles of the cluster decide about every verb", func(t *testing.T) { testPermissions(t, s) })
	t.Run("webhooks and policies of the cluster take effect", func(t *testing.T) { testAdmission(t, s) })
	t.Run("flags decide which webhooks and policies take effect", func(t *testing.T) { testAdmissionFlags(t, s) })
}
