package roundtrip

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// labelling is an editor that adds a label to every object of a file, after its
// uid.
const labelling = `#!/bin/sh
sed -i -E 's/^( +)uid: .*$/&\n\1labels: {edited: "VERSION"}/' "$1"
`

// TestExamplesAndBuiltInObjectsSurviveKubectl edits and applies all objects at
// once in both versions. Only the requested fields may change.
func TestExamplesAndBuiltInObjectsSurviveKubectl(t *testing.T) {
	root, err := binaries.Root()
	require.NoError(t, err)
	kubectl := harness.StartServer(t, harness.ServerOptions{}).Kubectl(t)
	kubectl.Run(t, "apply", "--validate=strict", "-f", filepath.Join(root, "artifacts", "examples"))
	kubectl.Run(t, "wait", "--for=jsonpath={.status.conditions[?(@.type=='Dangling')].status}", "flowschemas", "--all", "--timeout=5m")
	before := specs(t, kubectl)
	require.Greater(t, len(before), len(builtIn()), "the examples are there too")

	for _, version := range []string{"v1", "v1beta3"} {
		names := named(before, version)[:lane.Pick(8, len(before))]
		t.Setenv("KUBE_EDITOR", "true")
		edited := kubectl.Try(t, "", append([]string{"edit"}, names...)...)
		require.Zero(t, edited.ExitCode, edited.Stderr)
		require.Contains(t, edited.Stdout+edited.Stderr, "no changes made")

		t.Setenv("KUBE_EDITOR", editor(t, version))
		require.Equal(t, len(names), strings.Count(kubectl.Run(t, append([]string{"edit"}, names...)...), " edited\n"))
		labelled := kubectl.Run(t, "get", "flowschemas,prioritylevelconfigurations", "-l", "edited="+version, "-o", "name")
		require.Equal(t, len(names), strings.Count(labelled, "\n"))
		require.Equal(t, before, specs(t, kubectl), "after an edit in %s", version)

		for _, way := range [][]string{{}, {"--server-side", "--force-conflicts"}} {
			read := kubectl.Run(t, append([]string{"get", "-o", "yaml"}, names...)...)
			kubectl.RunInput(t, read, append([]string{"apply", "-f", "-"}, way...)...)
			require.Equal(t, before, specs(t, kubectl), "after apply %v in %s", way, version)
		}
	}
}

// editor returns the path of a program that labels objects with a version.
func editor(t *testing.T, version string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "editor-"+version)
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(labelling, "VERSION", version)), 0o700))
	return path
}

// specs returns the generation and the spec of each object, by resource and name.
func specs(t *testing.T, kubectl *harness.Kubectl) map[string]string {
	t.Helper()
	list, err := decodeLists(kubectl.Run(t, "get", "flowschemas", "-o", "json"), kubectl.Run(t, "get", "prioritylevelconfigurations", "-o", "json"))
	require.NoError(t, err)
	found := map[string]string{}
	for _, o := range list {
		kind := "prioritylevelconfigurations"
		if _, ok := o.(*flowcontrolv1.FlowSchema); ok {
			kind = "flowschemas"
		}
		annotations := o.GetAnnotations()
		delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
		o.SetLabels(nil)
		found[kind+" "+o.GetName()] = fmt.Sprintf("generation %d: %s", o.GetGeneration(), contentOf(o))
	}
	return found
}

// named returns the names of the objects for kubectl, in a version.
func named(specs map[string]string, version string) []string {
	var names []string
	for _, key := range slices.Sorted(maps.Keys(specs)) {
		kind, name, _ := strings.Cut(key, " ")
		names = append(names, fmt.Sprintf("%s.%s.%s/%s", kind, version, flowcontrolv1.GroupName, name))
	}
	return names
}

// decodeLists decodes lists that kubectl printed.
func decodeLists(texts ...string) ([]object, error) {
	var all []object
	for _, text := range texts {
		var list struct{ Items []json.RawMessage }
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			return nil, err
		}
		for _, item := range list.Items {
			o, err := decode(item)
			if err != nil {
				return nil, err
			}
			all = append(all, o)
		}
	}
	return all, nil
}
