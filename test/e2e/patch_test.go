package e2e

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// testPatchesSideBySide sends patches that conflict. The server retries them: none
// is lost and none fails.
func testPatchesSideBySide(t *testing.T, s *live) {
	s.createSchema(t, newSchema("patched-at-once", "catch-all"))
	var group sync.WaitGroup
	errs := make([]error, 4)
	for i, label := range []string{"a", "b", "c", "d"} {
		group.Go(func() {
			_, errs[i] = s.schemas().Patch(t.Context(), "patched-at-once", types.MergePatchType,
				[]byte(`{"metadata": {"labels": {"`+label+`": "there"}}}`), metav1.PatchOptions{})
		})
	}
	group.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	schema, err := s.schemas().Get(t.Context(), "patched-at-once", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a": "there", "b": "there", "c": "there", "d": "there"}, schema.Labels)
}
