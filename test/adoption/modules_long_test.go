//go:build long

package adoption

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

const engineModule = "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"

// server is a server built on k8s.io/apiserver. The first verb is an import, the second
// makes its flow control.
const server = `package main

import (
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	%s
)

func main() {
	config := &genericapiserver.RecommendedConfig{}
	client := kubernetes.NewForConfigOrDie(config.ClientConfig)
	factory := informers.NewSharedInformerFactory(client, 0)
	var fc flowcontrol.Interface
	%s
	config.FlowControl = fc
	_, _ = config.Complete().New("sample", genericapiserver.NewEmptyDelegate())
}
`

// modulesOf returns the versions of the modules of a server, and the names of those whose
// packages it compiles.
func modulesOf(t *testing.T, goMod, main string) (versions map[string]string, compiled sets.Set[string]) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(goMod), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(main), 0o644))
	run(t, dir, "mod", "tidy")
	versions = map[string]string{}
	for line := range strings.Lines(run(t, dir, "list", "-m", "all")) {
		if name, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			versions[name] = version
		}
	}
	return versions, sets.New(strings.Fields(run(t, dir, "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "."))...)
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", args...)
	command.Dir, command.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var stderr strings.Builder
	command.Stderr = &stderr
	output, err := command.Output()
	require.NoError(t, err, "go %s: %s", strings.Join(args, " "), &stderr)
	return string(output)
}

func TestAdoptingTheEngineChangesNoOtherModule(t *testing.T) {
	root, err := binaries.Root()
	require.NoError(t, err)
	for _, release := range []string{"v0.33.0", "v0.33.13", "v0.35.10", "v0.37.2"} {
		t.Run(release, func(t *testing.T) {
			goMod := "module example.com/sample\n\ngo 1.26.0\n\n"
			for _, name := range []string{"apiserver", "client-go", "api", "apimachinery"} {
				goMod += fmt.Sprintf("require k8s.io/%s %s\n", name, release)
			}
			before, compiledBefore := modulesOf(t, goMod, fmt.Sprintf(server, "", "fc = flowcontrol.New(factory, client.FlowcontrolV1(), 100)"))
			goMod += fmt.Sprintf("require %s v0.0.0\nreplace %s => %s\n", engineModule, engineModule, filepath.Join(root, "pkg", "apf"))
			after, compiledAfter := modulesOf(t, goMod, fmt.Sprintf(server, fmt.Sprintf("%q", engineModule), "fc, _ = apf.New(apf.ConfigFor(factory, client.FlowcontrolV1(), 100))"))

			require.Greater(t, len(before), 50)
			for name, version := range before {
				assert.Equal(t, version, after[name], name)
			}
			// The graph of later releases lacks some modules that 0.33 needs.
			assert.Equal(t, []string{engineModule}, sets.List(compiledAfter.Difference(compiledBefore)))
		})
	}
}
