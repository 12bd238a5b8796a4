package source_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

const savedLevels = "PriorityLevelName, WaitingRequests\nsystem, 7\n"

func TestSavedAnswersOfOneReplica(t *testing.T) {
	directory := t.TempDir()
	write(t, directory, map[string]string{
		"dump_priority_levels": savedLevels, "dump_queues.txt": "PriorityLevelName, Index\nsystem, 3\n",
		"top_flows.json": `[{"priorityLevelName":"system","flowDistinguisher":"bob"}]`, "metrics.txt": nominalLimits(300), "notes.txt": "text",
		"version.json": `{"gitVersion":"v1.35.1"}`,
	})
	s := newSource(t, source.Options{Dumps: directory})
	states, err := s.Replicas(t.Context(), everything())
	require.NoError(t, err)
	require.Len(t, states, 1)
	state := states[0]
	assert.Equal(t, directory, state.Name)
	assert.Equal(t, 7, state.Levels[0].Waiting)
	assert.Equal(t, 3, state.Queues[0].Index)
	assert.Equal(t, "bob", state.Flows[0].Distinguisher)
	assert.Equal(t, new(37), state.Metrics.Levels["system"].Nominal)
	assert.False(t, state.Read.IsZero())
	assert.Len(t, state.Missing, 3)
	assert.Contains(t, whys(state.Missing), "files: Left out: "+directory+"/notes.txt. It has no flow schema, no priority level and no response about flow control.")
	assert.Contains(t, whys(state.Missing), debugPath+"dump_requests: There is no file for it.")

	c, err := s.Configuration(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, "1.35", c.Release)
	assert.Equal(t, 300, c.Total)
	notes := strings.Join(c.Notes, "\n")
	assert.Contains(t, notes, "There are no FlowSchemas: the built-in ones of Kubernetes 1.35 are assumed.")
	assert.Contains(t, notes, "There are no PriorityLevelConfigurations: the built-in ones of Kubernetes 1.35 are assumed.")
}

func TestSavedAnswersTellWhichServerGaveThem(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		own   bool
	}{
		{"the version of kube-apiserver", map[string]string{"version.json": `{"gitVersion":"v1.33.13"}`}, false},
		{"the version of this server", map[string]string{"version.json": `{"gitVersion":"v1.33.13+flowcontrol-apiserver.0.1.0"}`}, true},
		{"answers that every API server gives", map[string]string{"metrics": nominalLimits(600)}, false},
		{"answers that this server alone gives", map[string]string{"metrics": nominalLimits(600), "rejections.json": "[]"}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			directory := t.TempDir()
			test.files["dump_priority_levels"] = savedLevels
			write(t, directory, test.files)
			c := configurationOf(t, source.Options{Dumps: directory})
			assert.Equal(t, test.own, c.Own)
		})
	}
}

func TestMustGather(t *testing.T) {
	directory := t.TempDir()
	const group = "must-gather.local.1/quay-io/cluster-scoped-resources/flowcontrol.apiserver.k8s.io/"
	write(t, directory, map[string]string{
		group + "flowschemas/a.yaml":                           schemaYAML("a", "v1", "l1"),
		group + "flowschemas/b.yaml":                           schemaYAML("b", "v1beta2", "l1"),
		group + "flowschemas/exempt.yaml":                      schemaYAML("exempt", "v1", "exempt"),
		group + "flowschemas/cut.yaml":                         schemaYAML("c", "v1", "l1") + "  rules: [{",
		group + "prioritylevelconfigurations/l1.yaml":          levelYAML("v1", "nominalConcurrencyShares: 7,"),
		"must-gather.local.1/quay-io/namespaces/all/pods.yaml": "kind: PodList\n",
	})
	c := configurationOf(t, source.Options{Dumps: directory, Release: "1.31", Total: 100})
	standard, err := configuration.BuiltIn("1.31")
	require.NoError(t, err)
	assert.Equal(t, append(namesOf(standard), "a", "b"), namesOf(c), "without exempt and catch-all they are a part")
	require.Len(t, c.PriorityLevels, len(standard.PriorityLevels)+1)
	assert.EqualValues(t, "1.31", c.Release)
	require.Len(t, c.Notes, 4)
	assert.Contains(t, c.Notes[2], "There are not all FlowSchemas, since exempt or catch-all is missing")
	assert.Contains(t, c.Notes[0], "cut.yaml:1: it is no YAML: ")
	assert.Contains(t, c.Notes[1], "Left out: "+directory+"/must-gather.local.1/quay-io/namespaces/all/pods.yaml.")
}

func TestSavedLists(t *testing.T) {
	c, err := configuration.BuiltIn("1.36")
	require.NoError(t, err)
	directory, over := t.TempDir(), t.TempDir()
	write(t, directory, map[string]string{
		"flowschemas.json":                 listOf(t, "FlowSchemaList", "", c.FlowSchemas),
		"prioritylevelconfigurations.json": listOf(t, "PriorityLevelConfigurationList", "", c.PriorityLevels),
	})
	write(t, over, map[string]string{"novel.yaml": schemaYAML("novel", "v1", "system") + "  colour: red\n"})
	got := configurationOf(t, source.Options{Dumps: directory, Files: resource.FilenameOptions{Filenames: []string{over}}})
	assert.Len(t, got.FlowSchemas, len(c.FlowSchemas)+1)
	assert.Len(t, got.PriorityLevels, len(c.PriorityLevels))
	assert.Contains(t, got.Notes, "The release of the API server is unknown: Kubernetes 1.37 is assumed; --release names another.")
	assert.Contains(t, got.Notes, over+"/novel.yaml:1: flowcontrol.apiserver.k8s.io/v1 has no field spec.colour, which is ignored.")
}

func TestAPageOfASavedListIsAPart(t *testing.T) {
	standard, err := configuration.BuiltIn("1.33")
	require.NoError(t, err)
	schemas := slices.DeleteFunc(slices.Clone(standard.FlowSchemas), func(s *flowcontrolv1.FlowSchema) bool { return s.Name == "service-accounts" })
	directory := t.TempDir()
	read := func() configuration.Configuration {
		c := configurationOf(t, source.Options{Dumps: directory, Release: "1.33"})
		return c
	}
	levels := listOf(t, "PriorityLevelConfigurationList", "", standard.PriorityLevels)
	write(t, directory, map[string]string{"schemas.json": listOf(t, "FlowSchemaList", "", schemas), "levels.json": levels})
	assert.Len(t, read().FlowSchemas, len(schemas), "it was deleted in the cluster")
	write(t, directory, map[string]string{"schemas.json": listOf(t, "FlowSchemaList", "next", schemas)})
	c := read()
	assert.Len(t, c.FlowSchemas, len(standard.FlowSchemas))
	assert.Contains(t, strings.Join(c.Notes, "\n"), "There are not all FlowSchemas, since a file has a list that continues on another page: the built-in ones of Kubernetes 1.33 are assumed.")
}

func TestObjectsInsideOthersOfSavedFilesAreNamed(t *testing.T) {
	directory := t.TempDir()
	write(t, directory, map[string]string{
		"a.yaml":         schemaYAML("a", "v1", "system"),
		"configmap.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  a.yaml: |\n    " + strings.ReplaceAll(schemaYAML("b", "v1", "l"), "\n", "\n    ") + "\n",
	})
	c := configurationOf(t, source.Options{Dumps: directory, Release: "1.33"})
	assert.Contains(t, strings.Join(c.Notes, "\n"), `ConfigMap x has objects of flow control in data["a.yaml"]`)
}

func TestDirectoryWithoutAnswers(t *testing.T) {
	directory := t.TempDir()
	write(t, directory, map[string]string{"README.md": "text"})
	for name, dumps := range map[string]string{"an absent one": filepath.Join(directory, "absent"), "one without answers": directory} {
		t.Run(name, func(t *testing.T) {
			s := newSource(t, source.Options{Dumps: dumps})
			_, err := s.Configuration(t.Context())
			require.Error(t, err)
			_, err = s.Replicas(t.Context(), everything())
			require.Error(t, err)
		})
	}
}
