package source_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

func schemaYAML(name, version, level string) string {
	return fmt.Sprintf(`apiVersion: flowcontrol.apiserver.k8s.io/%s
kind: FlowSchema
metadata:
  name: %s
spec:
  priorityLevelConfiguration:
    name: %s
`, version, name, level)
}

func levelYAML(version, shares string) string {
	return fmt.Sprintf(`apiVersion: flowcontrol.apiserver.k8s.io/%s
kind: PriorityLevelConfiguration
metadata: {name: l1}
spec: {type: Limited, limited: {%s limitResponse: {type: Queue, queuing: {}}}}
`, version, shares)
}

// filesOf reads standard input.
func filesOf(t *testing.T, text string) (source.Files, error) {
	t.Helper()
	return newSource(t, source.Options{
		Offline: true, Files: resource.FilenameOptions{Filenames: []string{"-"}}, Stdin: strings.NewReader(text),
	}).Files()
}

func TestObjectsOfFiles(t *testing.T) {
	const jsonSchema = `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","metadata":{"name":"a"}}`
	const item = `{apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: FlowSchema, metadata: {name: `
	a, b := schemaYAML("a", "v1", "l"), schemaYAML("b", "v1beta3", "l")
	for _, c := range []struct {
		name, text string
		want       []string // place, version and name of each object
	}{
		{"one document", a, []string{"-:1 v1 a"}},
		{"two documents", a + "---\n" + b, []string{"-:1 v1 a", "-:9 v1beta3 b"}},
		{"separators at both ends, comments, empty documents", "# c\n---\n" + a + "--- # c\n\n---\n# c\n---\r\n" + b + "---\n", []string{"-:3 v1 a", "-:15 v1beta3 b"}},
		{"a document that begins on the line of its separator", "--- " + item + "a}}\n--- " + item + "b}}\n", []string{"-:1 v1 a", "-:2 v1 b"}},
		{"a byte order mark and the line ends of Windows", "\xef\xbb\xbf" + strings.ReplaceAll(a+"---\n"+b, "\n", "\r\n"), []string{"-:1 v1 a", "-:9 v1beta3 b"}},
		{"dashes inside of a text", strings.Replace(a, "  name: a\n", "  name: a\n  annotations:\n    text: |\n      x\n      ---\n", 1), []string{"-:1 v1 a"}},
		{"JSON", jsonSchema, []string{"-:1 v1 a"}},
		{"several JSON values", jsonSchema + "\n\n" + jsonSchema, []string{"-:1 v1 a", "-:3 v1 a"}},
		{"a List", "apiVersion: v1\nkind: List\nitems:\n- " + item + "a}}\n- " + item + "b}}\n", []string{"-:1: items[0] v1 a", "-:1: items[1] v1 b"}},
		{"a FlowSchemaList", "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchemaList\nitems:\n- metadata: {name: a}\n", []string{"-:1: items[0] v1 a"}},
		{"every version that ever was", schemaYAML("a", "v1alpha1", "l") + "---\n" + schemaYAML("b", "v1beta1", "l") + "---\n" + schemaYAML("c", "v1beta2", "l"), []string{"-:1 v1alpha1 a", "-:9 v1beta1 b", "-:17 v1beta2 c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, err := filesOf(t, c.text)
			require.NoError(t, err)
			require.NoError(t, files.Err())
			assert.Empty(t, files.Notes)
			var got []string
			for _, object := range files.Objects {
				assert.Equal(t, "FlowSchema", object.Kind())
				assert.EqualValues(t, 1000, object.FlowSchema.Spec.MatchingPrecedence, "the default")
				got = append(got, fmt.Sprintf("%s %s %s", object.Place, strings.TrimPrefix(object.APIVersion, "flowcontrol.apiserver.k8s.io/"), object.Name()))
			}
			assert.Equal(t, c.want, got)
		})
	}
}

func TestSharesOfEachVersion(t *testing.T) {
	for _, c := range []struct {
		version, shares string
		want            int32
		unknown         []string
		note            string
	}{
		{"v1", "nominalConcurrencyShares: 7,", 7, nil, ""},
		{"v1", "nominalConcurrencyShares: 0,", 0, nil, ""},
		{"v1", "", 30, nil, ""},
		{"v1", "assuredConcurrencyShares: 7,", 30, []string{"spec.limited.assuredConcurrencyShares"}, "which is ignored: its name is nominalConcurrencyShares since v1beta3."},
		{"v1beta3", "nominalConcurrencyShares: 7,", 7, nil, ""},
		{"v1beta3", "nominalConcurrencyShares: 0,", 30, nil, ""},
		{"v1beta3", "assuredConcurrencyShares: 7,", 30, []string{"spec.limited.assuredConcurrencyShares"}, "which is ignored: its name is nominalConcurrencyShares since v1beta3."},
		{"v1beta2", "assuredConcurrencyShares: 7,", 7, nil, "assuredConcurrencyShares of flowcontrol.apiserver.k8s.io/v1beta2 is converted to nominalConcurrencyShares."},
		{"v1beta2", "", 30, nil, "is converted"},
		{"v1beta1", "assuredConcurrencyShares: 7,", 7, nil, "is converted"},
		{"v1alpha1", "assuredConcurrencyShares: 7,", 7, nil, "is converted"},
	} {
		t.Run(c.version+" "+c.shares, func(t *testing.T) {
			files, err := filesOf(t, levelYAML(c.version, c.shares))
			require.NoError(t, err)
			require.NoError(t, files.Err())
			require.Len(t, files.PriorityLevels(), 1)
			limited := files.PriorityLevels()[0].Spec.Limited
			assert.Equal(t, &c.want, limited.NominalConcurrencyShares)
			assert.Equal(t, ptr.To[int32](0), limited.LendablePercent)
			assert.EqualValues(t, 64, limited.LimitResponse.Queuing.Queues)
			assert.Equal(t, c.unknown, files.Objects[0].UnknownFields)
			if c.note == "" {
				assert.Empty(t, files.Notes)
				return
			}
			assert.Contains(t, strings.Join(files.Notes, "\n"), c.note)
		})
	}
}

// Before v1beta3 kube-apiserver did not know the annotation.
func TestTheAnnotationPreservesZeroSharesOfV1beta3Alone(t *testing.T) {
	const annotation = "annotations: {" + flowcontrolv1beta3.PriorityLevelPreserveZeroConcurrencySharesKey + `: ""}, name:`
	for version, want := range map[string]int32{"v1beta1": 30, "v1beta2": 30, "v1beta3": 0} {
		text := strings.Replace(levelYAML(version, ""), "name:", annotation, 1)
		require.Contains(t, text, annotation)
		files, err := filesOf(t, text)
		require.NoError(t, err)
		require.NoError(t, files.Err())
		require.Len(t, files.PriorityLevels(), 1)
		assert.Equal(t, &want, files.PriorityLevels()[0].Spec.Limited.NominalConcurrencyShares, version)
	}
}

func TestAKeyThatReplacesAMergedOneIsNoDuplicate(t *testing.T) {
	text := schemaYAML("a", "v1", "l") + `  rules:
  - resourceRules:
    - &r {verbs: [list], apiGroups: [batch], resources: [jobs], namespaces: ["*"]}
    - {<<: *r, resources: [cronjobs]}
    - {<<: [*r, *r], verbs: [get]}
    - {<<: *r, <<: *r}
`
	files, err := filesOf(t, text)
	require.NoError(t, err)
	assert.Empty(t, files.Notes)
	rules := files.FlowSchemas()[0].Spec.Rules[0].ResourceRules
	assert.Equal(t, []string{"cronjobs"}, rules[1].Resources)
	assert.Equal(t, []string{"get"}, rules[2].Verbs)

	files, err = filesOf(t, strings.Replace(text, "<<: *r, resources", "<<: *r, resources: [pods], resources", 1))
	require.NoError(t, err)
	require.Len(t, files.Notes, 1)
	assert.Contains(t, files.Notes[0], `line 11: key "resources" already set in map; the last value counts.`)
}

func TestAGeneratedNameIsNoted(t *testing.T) {
	files, err := filesOf(t, strings.Replace(schemaYAML("", "v1", "l"), "  name: \n", "  generateName: a-\n", 1))
	require.NoError(t, err)
	require.NoError(t, files.Err())
	assert.Equal(t, "a-00000", files.Objects[0].Name())
	assert.Equal(t, []string{"-:1: The server generates the name; a-00000 stands for it here."}, files.Notes)
	files, err = filesOf(t, strings.Replace(schemaYAML("", "v1", "l"), "  name: \n", "  generateName: "+strings.Repeat("a", 60)+"\n", 1))
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("a", 58)+"00000", files.Objects[0].Name(), "a name has at most 63 bytes")
}

func TestUnknownAndDuplicateFields(t *testing.T) {
	files, err := filesOf(t, strings.Replace(schemaYAML("a", "v1", "l"), "spec:\n", "spec:\n  precedence: 7\n  matchingPrecedence: 8\n  matchingPrecedence: 9\n", 1))
	require.NoError(t, err)
	require.NoError(t, files.Err())
	require.Len(t, files.Objects, 1)
	object := files.Objects[0]
	assert.EqualValues(t, 9, object.FlowSchema.Spec.MatchingPrecedence)
	assert.Equal(t, []string{"spec.precedence"}, object.UnknownFields)
	require.Len(t, object.DuplicateFields, 1)
	assert.Contains(t, object.DuplicateFields[0], `"matchingPrecedence" already set`)
	assert.Len(t, files.Notes, 2)
}

func TestDocumentsThatCannotBeRead(t *testing.T) {
	good := schemaYAML("a", "v1", "l")
	for _, c := range []struct {
		name, text, message string
	}{
		{"no YAML", good + "---\na: b: c\n", "-:9: it is no YAML: "},
		{"no object", good + "---\njust text\n", "-:9: it is not an object: must have the fields apiVersion and kind"},
		{"no kind", good + "---\napiVersion: v1\n", "-:9: it has no kind: must be FlowSchema or PriorityLevelConfiguration"},
		{"no apiVersion", good + "---\nkind: FlowSchema\n", "-:9: it has no apiVersion: must be flowcontrol.apiserver.k8s.io/v1"},
		{"an unknown version", good + "---\n" + schemaYAML("b", "v2", "l"), "-:9: the kind FlowSchema of flowcontrol.apiserver.k8s.io/v2 is unknown"},
		{"another group, which no server has", good + "---\napiVersion: apiserver.config.k8s.io/v1beta1\nkind: FlowSchema\nmetadata: {name: b}\n", "-:9: the kind FlowSchema of apiserver.config.k8s.io/v1beta1 is unknown"},
		{"a level of another group", good + "---\napiVersion: v1\nkind: PriorityLevelConfiguration\nmetadata: {name: b}\n", "-:9: the kind PriorityLevelConfiguration of v1 is unknown"},
		{"no name", good + "---\n" + schemaYAML("", "v1", "l"), "-:9: it has no name: metadata.name must be set"},
		{"a field of another type", good + "---\n" + strings.Replace(good, "spec:\n", "spec:\n  matchingPrecedence: high\n", 1), "-:9: json: cannot unmarshal"},
		{"a template of a chart", good + "---\n" + `{{- if .Values.levels }}` + "\nkind: FlowSchema\n{{- end }}\n", "-:9: it is a template, and no YAML: give what helm template prints"},
		{"JSON that is cut off", `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","metadata":{"name":"a"}}` + "\n{\"kind\"", "-:2: it is no JSON: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, err := filesOf(t, c.text)
			require.NoError(t, err)
			assert.Len(t, files.Objects, 1, "the good one")
			require.Len(t, files.Errors, 1)
			assert.Contains(t, files.Errors[0].Error(), c.message)
			require.Error(t, files.Err())

			_, err = newSource(t, source.Options{
				Offline: true, Files: resource.FilenameOptions{Filenames: []string{"-"}}, Stdin: strings.NewReader(c.text),
			}).Configuration(t.Context())
			require.Error(t, err)
		})
	}
}

func TestOtherKindsAreSkipped(t *testing.T) {
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
	files, err := filesOf(t, schemaYAML("a", "v1", "l")+"---\n"+pod)
	require.NoError(t, err)
	assert.Len(t, files.Objects, 1)
	assert.Equal(t, []string{"-:9 is skipped: kind Pod: it is neither a FlowSchema nor a PriorityLevelConfiguration."}, files.Notes)

	_, err = filesOf(t, pod)
	require.Error(t, err)
	assert.Equal(t, "The files contain no FlowSchema and no PriorityLevelConfiguration. -:1 is skipped: kind Pod: it is neither a FlowSchema nor a PriorityLevelConfiguration.", err.Error())
}

func TestNamespacesAndServiceAccountsOfFilesAreKnown(t *testing.T) {
	files, err := filesOf(t, schemaYAML("a", "v1", "l")+"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"+
		"---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: robot, namespace: shop}\n")
	require.NoError(t, err)
	assert.Equal(t, []string{"shop"}, files.Namespaces)
	assert.Equal(t, map[string][]string{"shop": {"robot"}}, files.ServiceAccounts)
	assert.Empty(t, files.Notes)
}

func FuzzFilesNeverPanic(f *testing.F) {
	f.Add(schemaYAML("a", "v1", "l") + "---\n" + levelYAML("v1beta2", "assuredConcurrencyShares: 7,"))
	f.Add(`{"apiVersion":"v1","kind":"List","items":[{"kind":"FlowSchema"}]}`)
	f.Add("--- \n---\n\t---")
	f.Fuzz(func(t *testing.T, text string) {
		files, err := filesOf(t, text)
		for _, object := range files.Objects {
			assert.NotEmpty(t, object.Name())
			assert.Positive(t, object.Place.Line)
		}
		if err == nil {
			assert.NotEmpty(t, files.Objects)
		}
	})
}
