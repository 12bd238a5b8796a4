//go:build long

package artifacts

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

const projectModule = "github.com/flowcontrol-apiserver/flowcontrol-apiserver"

// TestPublishedReleaseIsInstalled publishes release 1.2.3 of a clone to a registry on loopback and to a git
// remote, by the steps of hack/publish.sh, and installs from there as users do. Helm, cosign, git, go and the
// registry are real. docker is a stand-in that packs one file for each platform, and cosign gets a key.
func TestPublishedReleaseIsInstalled(t *testing.T) {
	p := newPublication(t)
	p.publish(t)
	published := p.digests(t)

	t.Run("again, the digests stay", func(t *testing.T) {
		p.run(t, "rm dist/image.json dist/chart.txt && touch dist/*.tgz")
		p.steps(t, "tags", "image", "chart", "sign")
		require.Equal(t, published, p.digests(t))
	})
	t.Run("signatures are of the key, and of these bytes", p.testSignatures)
	t.Run("the chart is installed from the registry", p.testChart)
	t.Run("modules are required through a module proxy", p.testModules)
}

// publication is a clone that is published, with what it is published to.
type publication struct {
	dir, home, registry string
	environment         []string
}

func newPublication(t *testing.T) *publication {
	t.Helper()
	p := &publication{dir: filepath.Join(t.TempDir(), "clone"), home: t.TempDir()}
	ca := harness.NewCA(t, "registry")
	p.registry = startRegistry(t, ca.Server(t, "registry"))
	bin := t.TempDir()
	for name, program := range map[string]binaries.Build{"crane": binaries.Crane, "helm": binaries.Helm, "signer": binaries.Cosign} {
		require.NoError(t, os.Symlink(harness.Program(t, program), filepath.Join(bin, name)))
	}
	for name, text := range map[string]string{"docker": dockerStandIn, "cosign": cosignWithKey} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755))
	}
	p.environment = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "SSL_CERT_FILE="+ca.CertFile, "DOCKER_CONFIG="+p.home, "HELM_CACHE_HOME="+p.home,
		"KEY="+p.home+"/key", "COSIGN_PASSWORD=", "ACTOR=someone", "TOKEN=secret", "GOFLAGS=-trimpath -modcacherw", "GOWORK=off",
		"GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@example.com", "GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@example.com", "GIT_CONFIG_GLOBAL=/dev/null")
	clone := exec.CommandContext(t.Context(), "git", "clone", "--quiet", harness.Path(t, "."), p.dir)
	output, err := clone.CombinedOutput()
	require.NoError(t, err, "%s", output)
	p.run(t, "git init --quiet --bare "+p.home+"/remote.git && git remote set-url origin "+p.home+"/remote.git")
	p.run(t, "signer generate-key-pair --output-key-prefix="+p.home+"/key && signer generate-key-pair --output-key-prefix="+p.home+"/other")
	return p
}

// dockerStandIn knows the calls of hack/publish.sh and hack/image.sh.
const dockerStandIn = `#!/bin/bash
set -e
case "$1 $2" in
"login "*) cat >/dev/null ;;
"buildx imagetools") case $4 in
  docker.io/* | gcr.io/*) echo sha256:0000000000000000000000000000000000000000000000000000000000000000 ;;
  *) crane digest "$4" ;;
  esac ;;
"build "*)
  for a; do case $a in
    --tag=*) tag=${a#*=} ;;
    --metadata-file=*) metadata=${a#*=} ;;
    --platform=*) platforms=${a#*=} ;;
  esac; done
  layer=$(mktemp) members=()
  for platform in ${platforms//,/ }; do
    date +%N >"$layer.file"
    tar -cf "$layer" -C "${layer%/*}" "${layer##*/}.file"
    crane append --platform="$platform" --oci-empty-base --new_layer="$layer" --new_tag="$tag-${platform##*/}"
    members+=("--manifest=$tag-${platform##*/}")
  done
  crane index append "${members[@]}" --tag="$tag"
  echo "{\"containerimage.digest\": \"$(crane digest "$tag")\"}" >"$metadata"
  rm "$layer" "$layer.file" ;;
*) echo "no stand-in for docker $*" >&2; exit 2 ;;
esac
`

// cosignWithKey signs with a key, where a workflow has an identity, and with no transparency log.
const cosignWithKey = `#!/bin/sh
exec signer "$@" --key="$KEY.key" --use-signing-config=false --tlog-upload=false
`

// startRegistry starts a registry with TLS on loopback, and returns its host and port.
func startRegistry(t *testing.T, serving harness.Pair) string {
	t.Helper()
	address := ports.Loopback(ports.Free(t, 1)[0])
	config := filepath.Join(t.TempDir(), "registry.yaml")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, `version: 0.1
storage: {filesystem: {rootdirectory: %q}}
http: {addr: %q, tls: {certificate: %q, key: %q}}
`, t.TempDir(), address, serving.CertFile, serving.KeyFile), 0o600))
	process := harness.StartProcess(t, harness.Command{Path: harness.Program(t, binaries.Registry), Args: []string{"serve", config}, Env: []string{"OTEL_TRACES_EXPORTER=none"}})
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	require.NoError(t, process.WaitOutput(ctx, "listening on "+address))
	return address
}

// try runs a line of shell in the clone.
func (p *publication) try(t *testing.T, line string, environment ...string) (string, error) {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", line)
	shell.Dir, shell.Env = p.dir, append(append([]string{}, p.environment...), environment...)
	output, err := shell.CombinedOutput()
	return string(output), err
}

func (p *publication) run(t *testing.T, line string, environment ...string) string {
	t.Helper()
	output, err := p.try(t, line, environment...)
	require.NoError(t, err, "%s\n%s", line, output)
	return output
}

func (p *publication) steps(t *testing.T, steps ...string) {
	t.Helper()
	for _, step := range steps {
		p.run(t, "hack/publish.sh v1.2.3 "+step)
	}
}

// publish names the registry, tags a prepared commit and publishes it. The archives of the programs are
// tested in test/repo.
func (p *publication) publish(t *testing.T) {
	t.Helper()
	p.run(t, "hack/rename.sh IMAGE="+p.registry+"/team/server CHARTS="+p.registry+"/charts && sed -i 's/^## 0.1.0$/## Unreleased/' CHANGELOG.md")
	p.run(t, "hack/publish.sh 1.2.3 prepare && git commit --quiet --all --message=release && git tag v1.2.3 && git push --quiet origin HEAD:refs/heads/main v1.2.3")
	p.steps(t, "check")
	p.run(t, "hack/release.sh 1.2.3 artifacts")
	p.run(t, `echo '{"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1}' >dist/flowcontrol-apiserver.cdx.json`)
	p.steps(t, "tags", "login", "image", "chart", "sign")
}

func (p *publication) digests(t *testing.T) string {
	t.Helper()
	return p.run(t, "hack/publish.sh 1.2.3 subjects && crane digest "+p.registry+"/team/server:v1.2.3 && crane digest "+p.registry+"/charts/flowcontrol-apiserver:1.2.3")
}

func (p *publication) testSignatures(t *testing.T) {
	image, chart := p.registry+"/team/server:v1.2.3", p.registry+"/charts/flowcontrol-apiserver:1.2.3"
	for _, verify := range []string{
		"signer verify " + image, "signer verify " + chart, "signer verify-attestation --type=cyclonedx " + image,
		"signer verify-blob --bundle=dist/checksums.txt.sigstore.json dist/checksums.txt",
	} {
		p.run(t, verify+" --insecure-ignore-tlog --key="+p.home+"/key.pub")
		_, err := p.try(t, verify+" --insecure-ignore-tlog --key="+p.home+"/other.pub")
		require.Error(t, err, verify)
	}
	_, err := p.try(t, "signer verify "+image+"-amd64 --insecure-ignore-tlog --key="+p.home+"/key.pub")
	require.Error(t, err, "it was not signed")
	p.run(t, "cd dist && sha256sum --check --ignore-missing --strict checksums.txt")
}

func (p *publication) testChart(t *testing.T) {
	k := startKubeAPIServer(t)
	k.kubectl.Run(t, "create", "namespace", namespace)
	source := " oci://" + p.registry + "/charts/flowcontrol-apiserver --version=1.2.3"
	p.run(t, "helm pull"+source+" --destination="+p.home+" && cmp "+p.home+"/flowcontrol-apiserver-1.2.3.tgz dist/flowcontrol-apiserver-1.2.3.tgz")
	var metadata chartMetadata
	require.NoError(t, yaml.Unmarshal([]byte(p.run(t, "helm show chart"+source+" 2>/dev/null")), &metadata))
	require.Equal(t, []string{"1.2.3", "v1.2.3"}, []string{metadata.Version, metadata.AppVersion})
	var changes []string
	metadata.requireAnnotation(t, "changes", &changes)
	require.Len(t, changes, strings.Count(p.run(t, "sed '1,/^## 1.2.3$/d' CHANGELOG.md"), "\n- "))
	require.Contains(t, p.run(t, "helm template release"+source+" --namespace="+namespace), "image: "+p.registry+"/team/server:v1.2.3\n")
	require.Contains(t, p.run(t, "helm install flowcontrol"+source+" --namespace="+namespace+" --kubeconfig="+k.kubeconfig), "Nothing is registered with kube-apiserver yet")
	require.Equal(t, p.registry+"/team/server:v1.2.3", k.kubectl.Run(t, "-n", namespace, "get", "deployment", "flowcontrol-apiserver", "-o", "jsonpath={.spec.template.spec.containers[0].image}"))
}

// testModules serves the tags of the remote as a module proxy does. A program of another module then requires
// the engine, and the plug-in is built from there.
func (p *publication) testModules(t *testing.T) {
	others := "file://" + strings.TrimSpace(p.run(t, "go env GOMODCACHE")) + "/cache/download"
	all := []string{projectModule, projectModule + "/pkg/apf", projectModule + "/kubectl-apf"}
	proxy := t.TempDir()
	p.run(t, "cd "+t.TempDir()+" && go mod download "+strings.Join(all, "@v1.2.3 ")+"@v1.2.3",
		"GOMODCACHE="+proxy, "GOPROXY="+others, "GONOPROXY="+projectModule, "GOSUMDB=off",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url."+p.home+"/remote.git.insteadOf", "GIT_CONFIG_VALUE_0=https://"+projectModule)

	// The go command of a new user: with a module, and with nothing else in the cache.
	goes := func(line string) string {
		return p.run(t, "cd "+t.TempDir()+" && go mod init example.com/other && "+line,
			"GOMODCACHE="+t.TempDir(), "GOPROXY=file://"+proxy+"/cache/download,"+others, "GONOPROXY=none", "GOSUMDB=off")
	}
	program := "package main\n\nimport \"" + projectModule + "/pkg/apf\"\n\nfunc main() { _ = apf.Config{}; println(\"built\") }\n"
	require.Contains(t, goes("go get "+projectModule+"/pkg/apf@v1.2.3 && printf '"+program+"' >main.go && go mod tidy && go run ."), "\nbuilt\n")
	plugin := goes("go get " + projectModule + "/kubectl-apf@v1.2.3 && go build -o plugin " + projectModule + "/kubectl-apf && ./plugin version && go list -m -f '{{.Version}}' " + strings.Join(all, " "))
	require.True(t, strings.HasSuffix(plugin, strings.Repeat("v1.2.3\n", len(all))), plugin)
}
