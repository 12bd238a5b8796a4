package findings

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/e2e/objects"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// schema returns a flow schema for the pods of a user, on a level.
func schema(name, level, user string) *flowcontrolv1.FlowSchema {
	return objects.Schema(name, level, 1234, objects.Rule(objects.User(user), "get", "", "pods", "default"))
}

func builtIn(t *testing.T) configuration.Configuration {
	t.Helper()
	c, err := configuration.BuiltIn("1.33")
	require.NoError(t, err)
	return c
}

func codes(r Result) (codes []lint.Code) {
	for _, finding := range r.Findings {
		codes = append(codes, finding.Code)
	}
	return codes
}

func of(t *testing.T, in Input) Result {
	t.Helper()
	result, err := Of(in)
	require.NoError(t, err)
	return result
}

func TestOnlyObjectsOfFilesAreJudgedIfThereAreFiles(t *testing.T) {
	below := builtIn(t)
	below.FlowSchemas = append(below.FlowSchemas, schema("stored", "missing", "alice"))
	whole := of(t, Input{Below: below})
	assert.Equal(t, []lint.Code{lint.MissingLevel}, codes(whole))
	assert.Equal(t, len(below.FlowSchemas)+len(below.PriorityLevels), whole.Checked)

	written := source.Object{FlowSchema: schema("written", "gone", "bob"), APIVersion: "flowcontrol.apiserver.k8s.io/v1"}
	result := of(t, Input{Below: below, Files: source.Files{Objects: []source.Object{written}, Notes: []string{"Read."}}})
	require.Equal(t, []lint.Code{lint.MissingLevel}, codes(result))
	assert.Equal(t, "FlowSchema/written", result.Findings[0].Object.String())
	assert.Equal(t, []int{1, 0, 0, 1}, []int{result.Errors, result.Warnings, result.Infos, result.Checked})
	assert.Contains(t, result.Notes, "Read.")
}

func TestLevelThatComesWithTheFilesIsNotMissing(t *testing.T) {
	level := &flowcontrolv1.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "new"},
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: new(int32(20)),
				LimitResponse:            flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
			},
		},
	}
	files := source.Files{Objects: []source.Object{{FlowSchema: schema("s", "new", "alice")}, {PriorityLevel: level}}}
	assert.NotContains(t, codes(of(t, Input{Below: builtIn(t), Files: files})), lint.MissingLevel)
}

func TestFactsAndDocumentsAreJudged(t *testing.T) {
	account := schema("s", "workload-low", "")
	account.Spec.Rules[0].Subjects = []flowcontrolv1.Subject{{
		Kind:           flowcontrolv1.SubjectKindServiceAccount,
		ServiceAccount: &flowcontrolv1.ServiceAccountSubject{Namespace: "shop", Name: "robot"},
	}}
	in := Input{Below: builtIn(t), Files: source.Files{Objects: []source.Object{{
		FlowSchema: account, APIVersion: "flowcontrol.apiserver.k8s.io/v1", UnknownFields: []string{"spec.colour"},
	}}}}
	in.Facts.Missing = []replica.Missing{{What: "pods", Why: "Forbidden."}}
	assert.Equal(t, []lint.Code{lint.UnknownField}, codes(of(t, in)), "whether the account exists is unknown")
	assert.Contains(t, of(t, in).Notes, "pods: Forbidden.")
	in.Facts.Namespaces, in.Facts.ServiceAccounts = []string{"default", "shop"}, map[string][]string{"shop": {"default"}}
	assert.Contains(t, codes(of(t, in)), lint.UnknownNamespace)
	in.Files.ServiceAccounts = map[string][]string{"shop": {"robot"}}
	assert.Equal(t, map[string][]string{"shop": {"default", "robot"}}, in.facts().ServiceAccounts)
	assert.NotContains(t, codes(of(t, in)), lint.UnknownNamespace, "the files create the account")
	in.Facts.Namespaces = []string{"default"}
	assert.Contains(t, codes(of(t, in)), lint.UnknownNamespace)
	in.Files.Namespaces = []string{"shop"}
	assert.NotContains(t, codes(of(t, in)), lint.UnknownNamespace, "the files create the namespace too")
	assert.Equal(t, map[string][]string{"shop": {"default"}}, in.Facts.ServiceAccounts, "the facts stay what they were")
}

func TestBuiltInObjectsOfEachReleaseHaveNoFindings(t *testing.T) {
	for _, release := range configuration.Releases() {
		c, err := configuration.BuiltIn(release)
		require.NoError(t, err)
		for _, total := range []int{0, 600, 3000} {
			c.Total = total
			result := of(t, Input{Below: c})
			assert.Empty(t, result.Findings, "%s, %d seats", release, total)
			assert.Greater(t, result.Checked, 18, "%s", release)
		}
	}
}

func TestThreshold(t *testing.T) {
	warning := Result{Findings: []lint.Finding{{Severity: lint.Warning}}}
	assert.False(t, warning.Reaches(lint.Error))
	assert.True(t, warning.Reaches(lint.Warning))
	assert.True(t, warning.Reaches(lint.Info))
	assert.False(t, (&Result{}).Reaches(lint.Info))
}

func TestUnknownReleaseIsAnError(t *testing.T) {
	_, err := Of(Input{Below: configuration.Configuration{Release: "1.2"}})
	require.ErrorContains(t, err, "1.2")
}

func TestTheColumnsOfFindings(t *testing.T) {
	r := &Result{Findings: []lint.Finding{{Severity: "info", Code: "FC1", Field: "spec", Message: "It is so.", Remedy: "Change it.", Link: "l"}}}
	assert.Equal(t, []string{"info", "FC1", r.Findings[0].Object.String(), "spec", "It is so.", "Change it.", "l"}, r.table().Rows[0])
}

func TestTextFitsTheTerminal(t *testing.T) {
	result := of(t, Input{Below: builtIn(t), Files: source.Files{Objects: []source.Object{{FlowSchema: schema("s", "gone", "alice")}}}})
	var out bytes.Buffer
	require.NoError(t, result.WriteTable(&out, table.Options{Width: 60}))
	assert.True(t, strings.HasPrefix(out.String(), "error FC101 FlowSchema/s spec.priorityLevelConfiguration.name\n  "), out.String())
	assert.Contains(t, out.String(), "\n  docs/kubectl-apf-findings.md#fc101\n")
	assert.Contains(t, out.String(), "\n1 objects checked: 1 errors, 0 warnings, 0 infos\n")
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "  ") {
			assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSpace(line)), 58)
		}
	}
	out.Reset()
	require.NoError(t, result.WriteTable(&out, table.Options{Width: 60, Wide: true}))
	assert.Contains(t, out.String(), result.Findings[0].Message)
	text, err := json.Marshal(&result)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"code":"FC101"`)
}
