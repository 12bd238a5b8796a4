//go:build long

package configuration_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
)

// printObjects is a program that prints the built-in objects of the package beside it.
const printObjects = `package main

import (
	"encoding/json"
	"os"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration/printer/bootstrap"
)

func main() {
	err := json.NewEncoder(os.Stdout).Encode(map[string]any{
		"FlowSchemas":    append(bootstrap.MandatoryFlowSchemas, bootstrap.SuggestedFlowSchemas...),
		"PriorityLevels": append(bootstrap.MandatoryPriorityLevelConfigurations, bootstrap.SuggestedPriorityLevelConfigurations...),
	})
	if err != nil {
		panic(err)
	}
}
`

// patches are the releases of k8s.io/apiserver that are compared.
func patches() map[configuration.Release]string {
	return map[configuration.Release]string{
		"1.29": "v0.29.15", "1.30": "v0.30.14", "1.31": "v0.31.14", "1.32": "v0.32.10", "1.33": "v0.33.13",
		"1.34": "v0.34.13", "1.35": "v0.35.10", "1.36": "v0.36.6", "1.37": "v0.37.2",
	}
}

// The file that defines the objects needs nothing else of its release, so it is compiled
// as a package of this module.
func TestBuiltInObjectsAreThoseOfKubernetes(t *testing.T) {
	const file = "pkg/apis/flowcontrol/bootstrap/default.go"
	printer, err := filepath.Abs("printer")
	require.NoError(t, err)
	source := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(source, []byte(printObjects), 0o600))
	for _, release := range configuration.Releases() {
		t.Run(string(release), func(t *testing.T) {
			var downloaded struct{ Dir string }
			require.NoError(t, json.Unmarshal(goCommand(t, "mod", "download", "-json", "k8s.io/apiserver@"+patches()[release]), &downloaded))
			overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
				filepath.Join(printer, "bootstrap", "default.go"): filepath.Join(downloaded.Dir, file),
				filepath.Join(printer, "main.go"):                 source,
			}})
			require.NoError(t, err)
			path := filepath.Join(t.TempDir(), "overlay.json")
			require.NoError(t, os.WriteFile(path, overlay, 0o600))

			var theirs struct {
				FlowSchemas    []*flowcontrolv1.FlowSchema
				PriorityLevels []*flowcontrolv1.PriorityLevelConfiguration
			}
			require.NoError(t, json.Unmarshal(goCommand(t, "run", "-overlay", path, "./printer"), &theirs))
			known, err := configuration.BuiltIn(release)
			require.NoError(t, err)
			assert.ElementsMatch(t, theirs.FlowSchemas, known.FlowSchemas)
			assert.ElementsMatch(t, theirs.PriorityLevels, known.PriorityLevels)
		})
	}
}

func goCommand(t *testing.T, arguments ...string) []byte {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", arguments...).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		require.NoError(t, err, "go %v: %s", arguments, exit.Stderr)
	}
	require.NoError(t, err)
	return output
}
