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

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

const engineModule = "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"

// server is a server built on k8s.io/apiserver. Its flow control comes from %[1]s, a
// package that %[2]s names.
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

// modulesOf returns the versions of the modules of a server whose go.mod and main.go are
// written and tidied here.
func modulesOf(t *testing.T, goMod, main string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(goMod), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(main), 0o644))
	run(t, dir, "mod", "tidy")
	run(t, dir, "vet", ".")
	versions := map[string]string{}
	for line := range strings.Lines(run(t, dir, "list", "-m", "all")) {
		if name, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			versions[name] = version
		}
	}
	return versions
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", args...)
	command.Dir, command.Env = dir, append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	var stderr strings.Builder
	command.Stderr = &stderr
	output, err := command.Output()
	require.NoError(t, err, "go %s: %s", strings.Join(args, " "), &stderr)
	return string(output)
}

func TestAdoptingTheEngineChangesNoOtherModule(t *testing.T) {
	root, err := binaries.Root()
	require.NoError(t, err)
	for _, release := range []string{"v0.33.13", "v0.35.10", "v0.37.2"} {
		t.Run(release, func(t *testing.T) {
			goMod := "module example.com/sample\n\ngo 1.26.0\n\n"
			for _, name := range []string{"apiserver", "client-go", "api", "apimachinery"} {
				goMod += fmt.Sprintf("require k8s.io/%s %s\n", name, release)
			}
			before := modulesOf(t, goMod, fmt.Sprintf(server, "", "fc = flowcontrol.New(factory, client.FlowcontrolV1(), 100)"))
			goMod += fmt.Sprintf("require %s v0.0.0\nreplace %s => %s\n", engineModule, engineModule, filepath.Join(root, "pkg", "apf"))
			after := modulesOf(t, goMod, fmt.Sprintf(server, fmt.Sprintf("%q", engineModule), "fc, _ = apf.New(apf.ConfigFor(factory, client.FlowcontrolV1(), 100))"))

			require.Contains(t, after, engineModule)
			require.Greater(t, len(before), 50)
			for name, version := range after {
				if name != engineModule {
					assert.Equal(t, before[name], version, name)
				}
			}
		})
	}
}
