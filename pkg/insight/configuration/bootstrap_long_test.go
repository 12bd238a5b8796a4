//go:build long

package configuration_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/configuration"
)

// printObjects prints the built-in objects of the k8s.io/apiserver in its module.
const printObjects = `package main

import (
	"encoding/json"
	"os"

	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
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

func TestBuiltInObjectsAreThoseOfKubernetes(t *testing.T) {
	for _, release := range configuration.Releases() {
		t.Run(string(release), func(t *testing.T) {
			directory := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(directory, "main.go"), []byte(printObjects), 0o600))
			goCommand(t, directory, "mod", "init", "example.com/objects")
			goCommand(t, directory, "get", "k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap@"+patches()[release])
			var theirs struct {
				FlowSchemas    []*flowcontrolv1.FlowSchema
				PriorityLevels []*flowcontrolv1.PriorityLevelConfiguration
			}
			require.NoError(t, json.Unmarshal(goCommand(t, directory, "run", "."), &theirs))
			ours, err := configuration.BuiltIn(release)
			require.NoError(t, err)
			assert.ElementsMatch(t, theirs.FlowSchemas, ours.FlowSchemas)
			assert.ElementsMatch(t, theirs.PriorityLevels, ours.PriorityLevels)
		})
	}
}

func goCommand(t *testing.T, directory string, arguments ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", arguments...)
	command.Dir = directory
	command.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	var errors []byte
	output, err := command.Output()
	if exit := new(exec.ExitError); err != nil && assert.ErrorAs(t, err, &exit) {
		errors = exit.Stderr
	}
	require.NoError(t, err, "go %v: %s", arguments, errors)
	return output
}
