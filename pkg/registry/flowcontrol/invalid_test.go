package flowcontrol

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// ownedBy returns a schema of n owners, all of them controllers, of a kind.
func ownedBy(n int, kind string) *flowcontrol.FlowSchema {
	schema := validSchema()
	for i := range n {
		schema.OwnerReferences = append(schema.OwnerReferences, metav1.OwnerReference{APIVersion: "v1", Kind: kind, Name: fmt.Sprint("owner-", i), UID: "u", Controller: new(true)})
	}
	return schema
}

// allocated returns the bytes that a call allocates.
func allocated(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestTheErrorOfAnInvalidObjectIsBounded: the library joins n errors in n² steps, and repeats all owners for
// each controller. 65 KB with 1,000 controllers allocated 87 GB. A million empty subjects have 3 MB.
func TestTheErrorOfAnInvalidObjectIsBounded(t *testing.T) {
	const n, enough = 500, 10 << 20
	ctx := request.WithNamespace(t.Context(), metav1.NamespaceNone)
	kind := flowSchemas(clock.RealClock{}, nil)
	schemas, _, err := open(kind, install.NewScheme(), &opened{store: nothing{}}, rest.DeleteDependents, func() lint.Reader { return nil })
	require.NoError(t, err)
	of := func(change func(*flowcontrol.FlowSchema)) *flowcontrol.FlowSchema {
		schema := validSchema()
		change(schema)
		return schema
	}
	rule := func(change func(*flowcontrol.PolicyRulesWithSubjects)) *flowcontrol.FlowSchema {
		return of(func(schema *flowcontrol.FlowSchema) {
			schema.Spec.Rules = []flowcontrol.PolicyRulesWithSubjects{{}}
			change(&schema.Spec.Rules[0])
		})
	}
	const leftOut = "; further errors are left out"
	long := strings.Repeat("x", 300)
	for name, test := range map[string]struct {
		sent *flowcontrol.FlowSchema
		says string
	}{
		"controllers": {ownedBy(n, "ConfigMap"), "metadata.ownerReferences: Invalid value: 500 references: must contain at most one reference with `controller` set to true, not 500"},
		"owners":      {of(func(schema *flowcontrol.FlowSchema) { schema.OwnerReferences = make([]metav1.OwnerReference, n) }), leftOut},
		"finalizers":  {of(func(schema *flowcontrol.FlowSchema) { schema.Finalizers = slices.Repeat([]string{long}, 10*n) }), leftOut},
		"rules": {of(func(schema *flowcontrol.FlowSchema) {
			schema.Spec.Rules = make([]flowcontrol.PolicyRulesWithSubjects, 10*n)
		}), leftOut},
		"subjects": {rule(func(r *flowcontrol.PolicyRulesWithSubjects) { r.Subjects = make([]flowcontrol.Subject, 10*n) }), leftOut},
		"resource rules": {rule(func(r *flowcontrol.PolicyRulesWithSubjects) {
			r.ResourceRules = make([]flowcontrol.ResourcePolicyRule, 10*n)
		}), leftOut},
		"namespaces": {rule(func(r *flowcontrol.PolicyRulesWithSubjects) {
			r.ResourceRules = []flowcontrol.ResourcePolicyRule{{Namespaces: slices.Repeat([]string{"A"}, 10*n)}}
		}), leftOut},
		"URLs": {rule(func(r *flowcontrol.PolicyRulesWithSubjects) {
			r.NonResourceRules = []flowcontrol.NonResourcePolicyRule{{NonResourceURLs: slices.Repeat([]string{"a"}, 10*n)}}
		}), leftOut},
	} {
		t.Run(name, func(t *testing.T) {
			require.Less(t, allocated(func() {
				_, err = schemas.Create(ctx, test.sent.DeepCopy(), rest.ValidateAllObjectFunc, &metav1.CreateOptions{})
			}), uint64(enough))
			require.True(t, apierrors.IsInvalid(err), "%v", err)
			require.ErrorContains(t, err, test.says)
			require.Less(t, allocated(func() {
				_, _, err = schemas.Update(ctx, "valid", rest.DefaultUpdatedObjectInfo(test.sent.DeepCopy()), rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc, true, &metav1.UpdateOptions{})
			}), uint64(enough))
			require.True(t, apierrors.IsInvalid(err), "%v", err)
			require.ErrorContains(t, err, test.says)
		})
	}
	t.Run("conditions", func(t *testing.T) {
		sent := of(func(schema *flowcontrol.FlowSchema) {
			schema.Status.Conditions = make([]flowcontrol.FlowSchemaCondition, 10*n)
		})
		require.Less(t, len(kind.validateStatus(sent)), n)
		require.ErrorContains(t, kind.validateStatus(sent).ToAggregate(), leftOut)
	})
}
