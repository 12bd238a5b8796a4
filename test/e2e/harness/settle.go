package harness

import (
	"slices"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
)

// Client returns a client of the group, of the administrator.
func (a *APIServer) Client(t TB) versioned.Interface {
	t.Helper()
	client, err := versioned.NewForConfig(a.Config(t))
	if err != nil {
		t.Fatalf("making a client of %s: %v", a.URL, err)
	}
	return client
}

// Settle waits until the engine has set the Dangling condition of every schema.
// After that an idle server writes nothing.
func (a *APIServer) Settle(t TB) {
	t.Helper()
	schemas := a.Client(t).FlowcontrolV1().FlowSchemas()
	eventually.Holds(t, "each schema says whether it dangles", func(attempt *eventually.Attempt) {
		list, err := schemas.List(attempt.Context(), metav1.ListOptions{})
		require.NoError(attempt, err)
		for _, schema := range list.Items {
			require.True(attempt, slices.ContainsFunc(schema.Status.Conditions, func(c flowcontrolv1.FlowSchemaCondition) bool {
				return c.Type == flowcontrolv1.FlowSchemaConditionDangling
			}), schema.Name)
		}
	})
}
