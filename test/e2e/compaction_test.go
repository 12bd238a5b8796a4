package e2e

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// testCompaction requests revisions that etcd has compacted.
func testCompaction(t *testing.T, s *live) {
	old := s.createLabelled(t, "compacted", 6)
	page, err := s.schemas().List(t.Context(), metav1.ListOptions{Limit: 2})
	require.NoError(t, err)
	require.NotEmpty(t, page.Continue)
	last := s.patchSchema(t, old.Name, map[string]any{"spec": map[string]any{"matchingPrecedence": 501}})
	revision, err := strconv.ParseInt(last.ResourceVersion, 10, 64)
	require.NoError(t, err)
	_, err = s.Store(t).Compact(t.Context(), revision, clientv3.WithCompactPhysical())
	require.NoError(t, err)

	list := v1Path + "/flowschemas?limit=2&"
	exact := s.do(t, http.MethodGet, list+"resourceVersionMatch=Exact&resourceVersion="+old.ResourceVersion, "")
	require.Equal(t, http.StatusGone, exact.code, exact.body)
	require.Equal(t, metav1.StatusReasonExpired, exact.status(t).Reason)

	expired := s.do(t, http.MethodGet, list+"continue="+url.QueryEscape(page.Continue), "")
	require.Equal(t, http.StatusGone, expired.code, expired.body)
	fresh := expired.status(t).Continue
	require.NotEmpty(t, fresh, "a token that goes on, in another snapshot")
	rest := s.do(t, http.MethodGet, list+"continue="+url.QueryEscape(fresh), "")
	require.Equal(t, http.StatusOK, rest.code, rest.body)
	var next flowcontrolv1.FlowSchemaList
	rest.decode(t, &next)
	require.Greater(t, next.Items[0].Name, page.Items[1].Name, "no object comes twice")

	both := s.do(t, http.MethodGet, list+"resourceVersion="+last.ResourceVersion+"&continue="+url.QueryEscape(fresh), "")
	require.Equal(t, http.StatusBadRequest, both.code, "a token itself has its version")

	// The watch cache may keep revisions that etcd has compacted, but not across a
	// restart.
	s.restart(t)
	watched := s.do(t, http.MethodGet, v1Path+"/flowschemas?watch=true&timeoutSeconds=1&resourceVersion="+old.ResourceVersion, "")
	require.Contains(t, watched.body, `"reason":"Expired"`)
	require.Contains(t, watched.body, `"code":410`)
}
