package e2e

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	applyv1 "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/applyconfiguration/flowcontrol/v1"
)

// applied is the least of a level that a manager can apply: its shares.
func applied(name string, shares int32) *applyv1.PriorityLevelConfigurationApplyConfiguration {
	return applyv1.PriorityLevelConfiguration(name).WithSpec(applyv1.PriorityLevelConfigurationSpec().
		WithType(flowcontrolv1.PriorityLevelEnablementLimited).
		WithLimited(applyv1.LimitedPriorityLevelConfiguration().
			WithNominalConcurrencyShares(shares).
			WithLimitResponse(applyv1.LimitResponse().WithType(flowcontrolv1.LimitResponseTypeReject))))
}

func (s *site) apply(t *testing.T, manager string, force bool, level *applyv1.PriorityLevelConfigurationApplyConfiguration) (*flowcontrolv1.PriorityLevelConfiguration, error) {
	t.Helper()
	return s.levels().Apply(t.Context(), level, metav1.ApplyOptions{FieldManager: manager, Force: force})
}

// owners are the managers of a field, each with its operation. The field is the
// path inside FieldsV1.
func owners(t *testing.T, entries []metav1.ManagedFieldsEntry, path ...string) []string {
	t.Helper()
	var found []string
	for _, entry := range entries {
		var fields map[string]any
		require.NoError(t, json.Unmarshal(entry.FieldsV1.Raw, &fields))
		if owns(fields, path) {
			found = append(found, strings.Trim(entry.Manager+" "+string(entry.Operation)+" "+entry.Subresource, " "))
		}
	}
	slices.Sort(found)
	return found
}

func owns(fields map[string]any, path []string) bool {
	for _, step := range path {
		deeper, ok := fields[step].(map[string]any)
		if !ok {
			return false
		}
		fields = deeper
	}
	return true
}

func sharesPath() []string { return []string{"f:spec", "f:limited", "f:nominalConcurrencyShares"} }

func testApplyConflict(c apiCase) {
	t, s := c.t, c.site
	_, err := s.apply(t, "first", false, applied("contested", 10))
	require.NoError(t, err, "apply creates what does not exist")
	_, err = s.apply(t, "second", false, applied("contested", 10))
	require.NoError(t, err, "agreeing is no conflict")

	_, err = s.apply(t, "third", false, applied("contested", 30))
	require.True(t, apierrors.IsConflict(err), "%v", err)
	status := err.(apierrors.APIStatus).Status()
	var causes []string
	for _, cause := range status.Details.Causes {
		require.Equal(t, metav1.CauseTypeFieldManagerConflict, cause.Type)
		causes = append(causes, cause.Field+": "+cause.Message)
	}
	slices.Sort(causes)
	require.Equal(t, []string{
		`.spec.limited.nominalConcurrencyShares: conflict with "first"`,
		`.spec.limited.nominalConcurrencyShares: conflict with "second"`,
	}, causes)

	forced, err := s.apply(t, "third", true, applied("contested", 30))
	require.NoError(t, err)
	require.EqualValues(t, 30, *forced.Spec.Limited.NominalConcurrencyShares)
	require.Equal(t, []string{"third Apply"}, owners(t, forced.ManagedFields, sharesPath()...))

	forced.Spec.Limited.NominalConcurrencyShares = new(int32(31))
	updated, err := s.levels().Update(t.Context(), forced, metav1.UpdateOptions{FieldManager: "editor"})
	require.NoError(t, err)
	require.Equal(t, []string{"editor Update"}, owners(t, updated.ManagedFields, sharesPath()...))
	_, err = s.apply(t, "third", false, applied("contested", 30))
	require.ErrorContains(t, err, `conflict with "editor"`)
}

func testApplyOwnership(c apiCase) {
	t, s := c.t, c.site
	with := applied("owned", 10).WithLabels(map[string]string{"mine": "yes", "ours": "yes"})
	_, err := s.apply(t, "one", false, with)
	require.NoError(t, err)
	_, err = s.apply(t, "two", false, applied("owned", 10).WithLabels(map[string]string{"ours": "yes"}))
	require.NoError(t, err)

	left, err := s.apply(t, "one", false, applied("owned", 10))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"ours": "yes"}, left.Labels, "a label that nobody owns any more goes, a shared one stays")
	require.Equal(t, []string{"two Apply"}, owners(t, left.ManagedFields, "f:metadata", "f:labels", "f:ours"))

	// An applied object says nothing about who owns what.
	answer := s.do(t, http.MethodPatch, v1Path+"/prioritylevelconfigurations/owned?fieldManager=one",
		`{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration", "metadata": {"managedFields": [{"manager": "forged"}]}}`,
		"Content-Type: application/apply-patch+yaml")
	require.Equal(t, http.StatusBadRequest, answer.code)
	require.Contains(t, answer.status(t).Message, "managedFields")

	// An update with one empty entry clears the record.
	left.ManagedFields = []metav1.ManagedFieldsEntry{{}}
	cleared, err := s.levels().Update(t.Context(), left, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Empty(t, cleared.ManagedFields)

	// Each version of the API has its own entries, and they know of each other.
	answer = s.do(t, http.MethodPatch, v1beta3Path+"/prioritylevelconfigurations/owned?fieldManager=old",
		`{"apiVersion": "flowcontrol.apiserver.k8s.io/v1beta3", "kind": "PriorityLevelConfiguration", "spec": {"limited": {"nominalConcurrencyShares": 10}}}`,
		"Content-Type: application/apply-patch+yaml")
	require.Equal(t, http.StatusOK, answer.code, answer.body)
	_, err = s.apply(t, "new", false, applied("owned", 11))
	require.ErrorContains(t, err, "conflicts with \"old\":\n- .spec.limited.nominalConcurrencyShares")
}

func testApplyLists(c apiCase) {
	t, s := c.t, c.site
	subject := func(user string) *applyv1.SubjectApplyConfiguration {
		return applyv1.Subject().WithKind(flowcontrolv1.SubjectKindUser).WithUser(applyv1.UserSubject().WithName(user))
	}
	schema := func(verbs []string, users ...string) *applyv1.FlowSchemaApplyConfiguration {
		rule := applyv1.PolicyRulesWithSubjects().WithNonResourceRules(applyv1.NonResourcePolicyRule().WithVerbs(verbs...).WithNonResourceURLs("/x"))
		for _, user := range users {
			rule.WithSubjects(subject(user))
		}
		return applyv1.FlowSchema("listed").WithSpec(applyv1.FlowSchemaSpec().WithMatchingPrecedence(700).
			WithPriorityLevelConfiguration(applyv1.PriorityLevelConfigurationReference().WithName("catch-all")).WithRules(rule))
	}
	_, err := s.schemas().Apply(t.Context(), schema([]string{"get"}, "a", "b"), metav1.ApplyOptions{FieldManager: "one"})
	require.NoError(t, err)
	_, err = s.schemas().Apply(t.Context(), schema([]string{"get"}, "c"), metav1.ApplyOptions{FieldManager: "two"})
	require.ErrorContains(t, err, ".spec.rules", "rules are one whole")
	replaced, err := s.schemas().Apply(t.Context(), schema([]string{"get"}, "c"), metav1.ApplyOptions{FieldManager: "two", Force: true})
	require.NoError(t, err)
	require.Len(t, replaced.Spec.Rules[0].Subjects, 1)

	// Conditions are a map by type: each writer has its own.
	for manager, kind := range map[string]flowcontrolv1.FlowSchemaConditionType{"one": "First", "two": "Second"} {
		_, err := s.schemas().ApplyStatus(t.Context(), applyv1.FlowSchema("listed").WithStatus(applyv1.FlowSchemaStatus().
			WithConditions(applyv1.FlowSchemaCondition().WithType(kind).WithStatus(flowcontrolv1.ConditionTrue))), metav1.ApplyOptions{FieldManager: manager})
		require.NoError(t, err)
	}
	merged, err := s.schemas().Get(t.Context(), "listed", metav1.GetOptions{})
	require.NoError(t, err)
	for kind, manager := range map[string]string{"First": "one", "Second": "two"} {
		require.Equal(t, []string{manager + " Apply status"}, owners(t, merged.ManagedFields, "f:status", "f:conditions", `k:{"type":"`+kind+`"}`))
	}
}

func testApplyUpgrade(c apiCase) {
	t, s := c.t, c.site
	kubectl := s.Kubectl(t)
	manifest := func(precedence string) string {
		return `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": "upgraded"}, "spec": {"matchingPrecedence": ` + precedence +
			`, "priorityLevelConfiguration": {"name": "catch-all"}}}`
	}
	precedence := func() string {
		return kubectl.Run(t, "get", "flowschema", "upgraded", "-o", "jsonpath={.spec.matchingPrecedence}")
	}
	kubectl.RunInput(t, manifest("801"), "apply", "-f", "-")
	kubectl.RunInput(t, manifest("802"), "apply", "--server-side", "-f", "-")
	require.Equal(t, "802", precedence())
	kubectl.RunInput(t, manifest("803"), "apply", "-f", "-")
	require.Equal(t, "803", precedence())
	kubectl.RunInput(t, manifest("804"), "apply", "--server-side", "-f", "-")
	require.Equal(t, "804", precedence())

	other := kubectl.Try(t, manifest("805"), "apply", "--server-side", "--field-manager=other", "-f", "-")
	require.Equal(t, 1, other.ExitCode)
	require.Contains(t, other.Stderr, `conflict with "kubectl": .spec.matchingPrecedence`)
}
