package repo

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// The module path that a rehearsal has, and its account.
const (
	account = "flowcontrol-apiserver"
	project = "github.com/" + account + "/flowcontrol-apiserver"
)

// rehearsal is a small repository with the modules and the scripts of this one, a remote on disk, and
// programs that only write down how they are called.
type rehearsal struct {
	dir, remote, calls string
	environment        []string
}

func newRehearsal(t *testing.T) rehearsal {
	t.Helper()
	r := rehearsal{dir: t.TempDir(), remote: filepath.Join(t.TempDir(), "remote.git"), calls: filepath.Join(t.TempDir(), "calls")}
	bin := t.TempDir()
	log := "#!/bin/sh\necho \"${0##*/} $*\" >>" + r.calls + "\n"
	for name, then := range map[string]string{
		"docker": `for a; do case $a in --metadata-file=*) printf '{\n  "containerimage.digest": "sha256:` + strings.Repeat("a", 64) + `",\n  "image.name": "x"\n}\n' >"${a#*=}" ;; esac; done`,
		"helm":   "echo Pushed: chart >&2; echo Digest: sha256:" + strings.Repeat("b", 64) + " >&2",
		"cosign": `for a; do case $a in --bundle=*) echo signed >"${a#*=}" ;; esac; done`,
		"gh":     "",
		"make":   "",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte(log+then+"\n"), 0o755))
	}
	r.environment = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@example.com",
		"GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@example.com", "GIT_CONFIG_GLOBAL=/dev/null", "GOWORK=off", "GOFLAGS=-mod=mod")
	for _, name := range []string{"hack/publish.sh", "hack/image.sh", "hack/base.sh"} {
		r.write(t, name, fileText(t, name))
	}
	// What the script builds is held by the tests of release.sh.
	r.write(t, "hack/release.sh", "mkdir -p dist && cd dist && touch RELEASE_NOTES.md checksums.txt apf.yaml flowcontrol-apiserver.cdx.json flowcontrol-apiserver-$1.tgz\n")
	r.write(t, ".gitignore", "dist/\n")
	r.write(t, "CHANGELOG.md", "## Unreleased\n- a line\n")
	r.write(t, "pkg/apf/go.mod", "module "+project+"/pkg/apf\n\ngo 1.24\n")
	r.write(t, "go.mod", "module "+project+"\n\ngo 1.24\n\nrequire "+project+"/pkg/apf v0.0.0\n\nreplace "+project+"/pkg/apf => ./pkg/apf\n")
	r.write(t, "kubectl-apf/go.mod", "module "+project+"/kubectl-apf\n\ngo 1.24\n\nrequire (\n\t"+project+" v0.0.0\n\t"+project+"/pkg/apf v0.0.0\n)\n\nreplace (\n\t"+project+" => ..\n\t"+project+"/pkg/apf => ../pkg/apf\n)\n")
	for folder, body := range map[string]string{"pkg/apf": "package apf\n", ".": "package server\n\nimport _ \"" + project + "/pkg/apf\"\n", "kubectl-apf": "package plugin\n\nimport _ \"" + project + "\"\n"} {
		r.write(t, filepath.Join(folder, "code.go"), body)
	}
	r.pass(t, r.dir, "git init --quiet --bare "+r.remote+" && git init --quiet && git remote add origin "+r.remote+" && git add . && git commit --quiet --message=first")
	return r
}

func (r rehearsal) write(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(r.dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o755))
}

// run runs a line of shell as a workflow does, and returns what it prints.
func (r rehearsal) run(t *testing.T, dir, line string, environment ...string) (string, error) {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", line)
	shell.Dir = dir
	shell.Env = append(append([]string{}, r.environment...), environment...)
	output, err := shell.CombinedOutput()
	return string(output), err
}

func (r rehearsal) pass(t *testing.T, dir, line string, environment ...string) string {
	t.Helper()
	output, err := r.run(t, dir, line, environment...)
	require.NoError(t, err, "%s\n%s", line, output)
	return output
}

// workflow is what the tests read of a workflow of GitHub.
type workflow struct {
	Permissions any
	Jobs        map[string]struct {
		Needs       string
		Permissions map[string]string
		Steps       []struct {
			Uses, Run string
			With      map[string]any
		}
	}
}

func workflowOf(t *testing.T, name string) (w workflow) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal([]byte(fileText(t, name)), &w))
	return w
}

// TestReleaseWorkflowPublishesEachThingOnce runs the commands of release.yaml, job after job, with the tag of a
// prepared commit.
func TestReleaseWorkflowPublishesEachThingOnce(t *testing.T) {
	r := newRehearsal(t)
	r.pass(t, r.dir, "git tag v1.2.3")
	output, err := r.run(t, r.dir, "hack/publish.sh v1.2.3 check")
	require.Error(t, err)
	assert.Contains(t, output, "CHANGELOG.md has no section '## 1.2.3'")
	r.pass(t, r.dir, "sed -i 's/Unreleased/1.2.3/' CHANGELOG.md && git commit --quiet --all --message=notes && git tag --force v1.2.3")
	output, err = r.run(t, r.dir, "hack/publish.sh v1.2.3 check")
	require.Error(t, err)
	assert.Contains(t, output, "./go.mod requires "+project+"/pkg/apf v0.0.0, not v1.2.3")
	r.pass(t, r.dir, "hack/publish.sh 1.2.3 prepare && git commit --quiet --all --message=release")
	output, err = r.run(t, r.dir, "hack/publish.sh v1.2.3 check")
	require.Error(t, err)
	assert.Contains(t, output, "the tag v1.2.3 is not on this commit")
	r.pass(t, r.dir, "git tag --force v1.2.3 && git push --quiet origin HEAD:refs/heads/main v1.2.3")

	release := workflowOf(t, ".github/workflows/release.yaml")
	outputs := filepath.Join(t.TempDir(), "outputs")
	before := ""
	for _, name := range []string{"build", "tags", "publish", "krew"} {
		require.Equal(t, before, release.Jobs[name].Needs, name)
		before = name
		for _, step := range release.Jobs[name].Steps {
			if step.Run != "" {
				r.pass(t, r.dir, step.Run, "RELEASE=v1.2.3", "GITHUB_OUTPUT="+outputs, "ACTOR=someone", "TOKEN=secret")
			}
		}
	}
	require.Len(t, release.Jobs, 4)

	image, chart := "ghcr.io/"+account+"/flowcontrol-apiserver", "ghcr.io/"+account+"/charts/flowcontrol-apiserver"
	imageDigest, chartDigest := "sha256:"+strings.Repeat("a", 64), "sha256:"+strings.Repeat("b", 64)
	calls, err := os.ReadFile(r.calls)
	require.NoError(t, err)
	assert.Equal(t, strings.Join([]string{
		"make vuln",
		"docker login ghcr.io --username=someone --password-stdin",
		"docker build --file=Dockerfile --tag=" + image + ":v1.2.3 --build-arg=VERSION=1.2.3 --platform=linux/amd64,linux/arm64 --push --metadata-file=" + r.dir + "/dist/image.json .",
		"helm push dist/flowcontrol-apiserver-1.2.3.tgz oci://ghcr.io/" + account + "/charts",
		"cosign sign --yes " + image + "@" + imageDigest,
		"cosign attest --yes --type=cyclonedx --predicate=dist/flowcontrol-apiserver.cdx.json " + image + "@" + imageDigest,
		"cosign sign --yes " + chart + "@" + chartDigest,
		"cosign sign-blob --yes --bundle=dist/checksums.txt.sigstore.json dist/checksums.txt",
		"gh release create v1.2.3 --verify-tag --title=v1.2.3 --notes-file=dist/RELEASE_NOTES.md dist/apf.yaml dist/checksums.txt dist/checksums.txt.sigstore.json dist/flowcontrol-apiserver-1.2.3.tgz dist/flowcontrol-apiserver.cdx.json",
	}, "\n")+"\n", string(calls))
	written, err := os.ReadFile(outputs)
	require.NoError(t, err)
	assert.Equal(t, "image="+image+"\nimage-digest="+imageDigest+"\nchart="+chart+"\nchart-digest="+chartDigest+"\n", string(written))

	assert.Equal(t, "refs/tags/kubectl-apf/v1.2.3\nrefs/tags/pkg/apf/v1.2.3\nrefs/tags/v1.2.3\n", r.pass(t, r.remote, "git for-each-ref --format='%(refname)' refs/tags"))
	r.assertModulesCanBeRequired(t)
}

// assertModulesCanBeRequired requires the released modules from another one, by the tags of the remote.
func (r rehearsal) assertModulesCanBeRequired(t *testing.T) {
	t.Helper()
	other := t.TempDir()
	environment := []string{
		"GOMODCACHE=" + t.TempDir(), "GOFLAGS=-modcacherw", "GONOSUMDB=" + project, "GONOPROXY=" + project, "GOPROXY=off", "GOSUMDB=off",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url." + r.remote + ".insteadOf", "GIT_CONFIG_VALUE_0=https://" + project,
	}
	r.pass(t, other, "go mod init example.com/other && go get "+project+"/kubectl-apf@v1.2.3", environment...)
	assert.Equal(t, strings.Repeat("v1.2.3\n", 3), r.pass(t, other, "go list -m -f '{{.Version}}' "+project+" "+project+"/kubectl-apf "+project+"/pkg/apf", environment...))
}

// TestReleasedModulesComeAfterThoseThatTheyRequire compares the order in hack/publish.sh with the modules of the tree.
func TestReleasedModulesComeAfterThoseThatTheyRequire(t *testing.T) {
	list := regexp.MustCompile(`(?m)^released=\((.*)\)$`).FindStringSubmatch(fileText(t, "hack/publish.sh"))
	require.NotNil(t, list)
	published := map[string]bool{}
	for folder := range strings.FieldsSeq(list[1]) {
		for _, required := range regexp.MustCompile(`(?m)^(?:require )?\s*(`+project+`\S*) v`).FindAllStringSubmatch(fileText(t, filepath.Join(folder, "go.mod")), -1) {
			assert.True(t, published[required[1]], "%s requires %s, which is not before it in hack/publish.sh", folder, required[1])
		}
		published[strings.TrimSuffix(project+"/"+folder, "/.")] = true
	}
	assert.Len(t, published, 3)
}

// TestWorkflowsAreMinimal holds every workflow to actions that are pinned by commit, and to rights that a job
// names itself if it writes.
func TestWorkflowsAreMinimal(t *testing.T) {
	pinned := regexp.MustCompile(`^\s*(?:- )?uses: [\w-]+/[\w./-]+@[0-9a-f]{40} # v[\d.]+$`)
	uses := 0
	for _, name := range trackedFiles(t) {
		if !strings.HasPrefix(name, ".github/workflows/") {
			continue
		}
		for line := range strings.SplitSeq(fileText(t, name), "\n") {
			if strings.Contains(line, "uses:") {
				uses++
				assert.Regexp(t, pinned, line, "%s: pin the action by commit, with its release in a comment", name)
			}
		}
		w := workflowOf(t, name)
		assert.Contains(t, []any{map[string]any{}, map[string]any{"contents": "read"}}, w.Permissions, "%s: jobs name what they write, not the workflow", name)
		for job, of := range w.Jobs {
			for _, step := range of.Steps {
				if strings.HasPrefix(step.Uses, "actions/checkout@") && of.Permissions["contents"] != "write" {
					assert.Equal(t, false, step.With["persist-credentials"], "%s, %s: the checkout needs no token afterwards", name, job)
				}
			}
		}
	}
	assert.Positive(t, uses)
}
