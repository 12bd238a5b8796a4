package lint

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"sigs.k8s.io/yaml"
)

// inCluster returns a bundle of these objects over the built-in ones, on a server of 600
// seats. Only is the objects.
func inCluster(schemas []*flowcontrolv1.FlowSchema, levels []*flowcontrolv1.PriorityLevelConfiguration) Bundle {
	bundle := Bundle{Defaults: release(), Total: 600, Release: "1.33", Only: []Object{}}
	replaced := map[Object]bool{}
	for _, schema := range schemas {
		replaced[schemaObject(schema.Name)] = true
		bundle.Only = append(bundle.Only, schemaObject(schema.Name))
	}
	for _, level := range levels {
		replaced[levelObject(level.Name)] = true
		bundle.Only = append(bundle.Only, levelObject(level.Name))
	}
	for _, schema := range release().FlowSchemas {
		if !replaced[schemaObject(schema.Name)] {
			bundle.FlowSchemas = append(bundle.FlowSchemas, schema)
		}
	}
	for _, level := range release().PriorityLevels {
		if !replaced[levelObject(level.Name)] {
			bundle.PriorityLevels = append(bundle.PriorityLevels, level)
		}
	}
	bundle.FlowSchemas = append(bundle.FlowSchemas, schemas...)
	bundle.PriorityLevels = append(bundle.PriorityLevels, levels...)
	return bundle
}

// manifest decodes YAML documents into a bundle of the cluster's objects and these.
func manifest(t testing.TB, text string) Bundle {
	t.Helper()
	var schemas []*flowcontrolv1.FlowSchema
	var levels []*flowcontrolv1.PriorityLevelConfiguration
	var documents []Document
	for part := range strings.SplitSeq("\n"+text, "\n---\n") {
		var head struct {
			APIVersion string
			Kind       string
			Metadata   struct{ Name string }
		}
		require.NoError(t, yaml.Unmarshal([]byte(part), &head))
		var err error
		switch head.Kind {
		case kindFlowSchema:
			schema := &flowcontrolv1.FlowSchema{}
			schemas, err = append(schemas, schema), yaml.Unmarshal([]byte(part), schema)
		case kindPriorityLevel:
			level := &flowcontrolv1.PriorityLevelConfiguration{}
			levels, err = append(levels, level), yaml.Unmarshal([]byte(part), level)
		default:
			continue
		}
		require.NoError(t, err)
		document := Document{Object: Object{Kind: head.Kind, Name: head.Metadata.Name}, APIVersion: head.APIVersion}
		if strings.Contains(part, "assuredConcurrencyShares") && !strings.HasSuffix(head.APIVersion, "beta2") && !strings.HasSuffix(head.APIVersion, "beta1") {
			document.UnknownFields = append(document.UnknownFields, "spec.limited.assuredConcurrencyShares")
		}
		documents = append(documents, document)
	}
	bundle := inCluster(schemas, levels)
	bundle.Documents = documents
	return bundle
}

// summary returns the findings in the form CODE SEVERITY KIND/NAME FIELD.
func summary(findings []Finding) []string {
	lines := []string{}
	for _, f := range findings {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %v %s", f.Code, f.Severity, f.Object, f.Field)))
	}
	return lines
}

func TestBuiltInObjectsHaveOnlyAcceptedFindings(t *testing.T) {
	for _, total := range []int{0, 200, 600, 3000} {
		t.Run(fmt.Sprint(total, " seats"), func(t *testing.T) {
			bundle := inCluster(nil, nil)
			bundle.Only, bundle.Total = nil, total
			require.Empty(t, summary(Check(bundle)), "with the defaults of the release")

			bundle.Defaults = Defaults{}
			accepted := []string{
				// It is true that lists of leases of all namespaces do not match, but nodes
				// have no right to list leases, and they get and update their own.
				"FC105 warning FlowSchema/system-node-high spec.rules[0].resourceRules[1].clusterScope",
			}
			require.Equal(t, accepted, summary(Check(bundle)), "as if a user had written them")
		})
	}
}

// An expert confirms these findings: the built-in objects on a server that is too small
// for them.
func TestBuiltInObjectsOnASmallServer(t *testing.T) {
	bundle := inCluster(nil, nil)
	bundle.Only, bundle.Total = nil, 20
	require.Equal(t, []string{
		"FC206 warning PriorityLevelConfiguration/catch-all spec.limited.nominalConcurrencyShares",
		"FC206 warning PriorityLevelConfiguration/leader-election spec.limited.nominalConcurrencyShares",
	}, summary(Check(bundle)))
}

func TestOrderInABundleHasNoEffect(t *testing.T) {
	files, err := filepath.Glob("testdata/manifests/*.yaml")
	require.NoError(t, err)
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		bundle := manifest(t, string(content))
		want := Check(bundle)
		slices.Reverse(bundle.FlowSchemas)
		slices.Reverse(bundle.PriorityLevels)
		require.Equal(t, want, Check(bundle), file)
	}
}

func TestCheckKeepsItsInput(t *testing.T) {
	bundle := manifest(t, someObjects)
	before := text(bundle)
	Check(bundle)
	require.Equal(t, before, text(bundle), "the bundle is read only")
}

func TestFindingsAreSortedAndLinked(t *testing.T) {
	findings := Check(manifest(t, someObjects))
	require.Greater(t, len(findings), 2)
	require.True(t, slices.IsSortedFunc(findings, func(a, b Finding) int { return cmp.Compare(a.Severity.rank(), b.Severity.rank()) }))
	for _, f := range findings {
		assert.Equal(t, "docs/kubectl-apf-findings.md#"+strings.ToLower(string(f.Code)), f.Link)
		assert.True(t, strings.HasSuffix(f.Message, ".") && strings.HasSuffix(f.Remedy, "."), f)
	}
}

func TestJSONFormOfAFinding(t *testing.T) {
	findings := Check(manifest(t, `
kind: FlowSchema
apiVersion: flowcontrol.apiserver.k8s.io/v1
metadata: {name: a}
spec:
  priorityLevelConfiguration: {name: absent}
  rules: [{subjects: [{kind: User, user: {name: alice}}], nonResourceRules: [{verbs: [get], nonResourceURLs: [/version]}]}]
`))
	require.Len(t, findings, 1)
	require.JSONEq(t, `{
		"code": "FC101", "severity": "error", "object": {"kind": "FlowSchema", "name": "a"}, "field": "spec.priorityLevelConfiguration.name",
		"message": "No priority level \"absent\" exists, so no request matches it.",
		"remedy": "Create the PriorityLevelConfiguration, or name an existing one.",
		"link": "docs/kubectl-apf-findings.md#fc101",
		"related": [{"kind": "PriorityLevelConfiguration", "name": "absent"}]
	}`, text(findings[0]))
}

func TestOnlySelectsFindingsByObject(t *testing.T) {
	first, second := everything("first", 10, aUser("alice")), everything("second", 20, aUser("alice"))
	bundle := inCluster([]*flowcontrolv1.FlowSchema{&first, &second}, nil)
	first.Spec.PriorityLevelConfiguration.Name, second.Spec.PriorityLevelConfiguration.Name = "workload-low", "workload-low"
	for name, want := range map[string]int{"first": 1, "second": 1, "other": 0} {
		bundle.Only = []Object{schemaObject(name)}
		require.Len(t, Check(bundle), want, "%s: the schema itself, or one that is related", name)
	}
}

const someObjects = `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: a}
spec:
  priorityLevelConfiguration: {name: absent}
  rules:
  - subjects: [{kind: User, user: {name: alice}}]
    resourceRules: [{verbs: [get], apiGroups: [apps/v1], resources: [Deployment], namespaces: ["*"]}]
---
apiVersion: flowcontrol.apiserver.k8s.io/v1beta3
kind: PriorityLevelConfiguration
metadata: {name: b}
spec:
  type: Limited
  limited: {limitResponse: {type: Queue, queuing: {queues: 4, handSize: 4}}}
`

func FuzzCheckOfAnyObjects(f *testing.F) {
	bundle := manifestFile(f, "nodes-throttled")
	for _, schema := range bundle.FlowSchemas {
		f.Add(text(schema), text(bundle.PriorityLevels[0]))
	}
	for _, level := range bundle.PriorityLevels {
		f.Add("{}", text(level))
	}
	f.Add(`{"spec": {"rules": [{"subjects": [{"kind": "User"}, {}], "resourceRules": [{}], "nonResourceRules": [{"verbs": [""], "nonResourceURLs": [""]}]}]}}`,
		`{"spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Queue", "queuing": {"queues": 1000000000, "handSize": 1000000000}}}}}`)
	f.Fuzz(func(t *testing.T, schemaJSON, levelJSON string) {
		schema, level := &flowcontrolv1.FlowSchema{}, &flowcontrolv1.PriorityLevelConfiguration{}
		if json.Unmarshal([]byte(schemaJSON), schema) != nil || json.Unmarshal([]byte(levelJSON), level) != nil {
			return
		}
		for _, finding := range Check(inCluster([]*flowcontrolv1.FlowSchema{schema}, []*flowcontrolv1.PriorityLevelConfiguration{level})) {
			require.NotEmpty(t, finding.Message)
			require.NotEmpty(t, finding.Remedy)
		}
	})
}

// Two schemas before the built-in ones cover what neither covers alone. They are named once, whatever they cover.
func TestSchemasThatCoverManyTogetherAreNamedOnce(t *testing.T) {
	const one = "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: %s}\nspec:\n  matchingPrecedence: %d\n  priorityLevelConfiguration: {name: workload-low}\n" +
		"  rules:\n  - subjects: [{kind: Group, group: {name: 'system:authenticated'}}]\n    %s\n"
	bundle := manifest(t, fmt.Sprintf(one, "resources", 5, "resourceRules: [{verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true}]")+
		"---\n"+fmt.Sprintf(one, "paths", 6, "nonResourceRules: [{verbs: ['*'], nonResourceURLs: ['*']}]"))
	var together []Finding
	for _, f := range Check(bundle) {
		if f.Code == NeverMatches && strings.Contains(f.Message, "together") {
			together = append(together, f)
		}
	}
	require.Len(t, together, 1)
	assert.Regexp(t, `^This FlowSchema and "\w+" come before ("[\w-]+", ){2}"[\w-]+" and \d more and together match all requests that would match there`, together[0].Message)
	assert.Contains(t, together[0].Related, schemaObject("kube-scheduler"))
}
