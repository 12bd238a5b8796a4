package command

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/explain"
)

// TestAnObjectIsNoSubresource: the pod web-1 was mistaken for a subresource, and the request for
// one of global-default.
func TestAnObjectIsNoSubresource(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "pods-only.yaml", strings.NewReplacer("workload-low", "workload-high", `resources: ["*"]`, "resources: [pods]").Replace(flowSchema))
	for _, words := range []string{"get pods/web-1", "get pods web-1", "get /api/v1/namespaces/shop/pods/web-1"} {
		got := run(t, append([]string{"explain", "--as=robot", "--offline", "--release=1.33", "-f", "pods-only.yaml", "-o", "json", "-n", "shop"}, strings.Fields(words)...)...)
		require.Zero(t, got.status, got.errOut)
		var answer explain.Answer
		require.NoError(t, json.Unmarshal([]byte(got.out), &answer))
		assert.Equal(t, "workload-high", answer.PriorityLevel.Name, words)
		assert.Equal(t, "web-1", answer.Request.Name, words)
		assert.Empty(t, answer.Request.Subresource, words)
	}
}
