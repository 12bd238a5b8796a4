package repo

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

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
	r := newPreparedRehearsal(t)
	outputs := filepath.Join(t.TempDir(), "outputs")
	jobs := []string{"build", "tags", "publish", "krew"}
	before := ""
	for _, name := range jobs {
		require.Equal(t, before, workflowOf(t, ".github/workflows/release.yaml").Jobs[name].Needs, name)
		before = name
		output, err := r.job(t, name, "GITHUB_OUTPUT="+outputs)
		require.NoError(t, err, output)
	}
	require.Len(t, workflowOf(t, ".github/workflows/release.yaml").Jobs, len(jobs))

	assert.Equal(t, strings.Join([]string{
		"docker buildx imagetools inspect docker.io/library/golang:1.26 --format={{.Manifest.Digest}}", // by prepare
		"make vuln",
		"docker login charts.example --username=someone --password-stdin",
		"docker login images.example --username=someone --password-stdin",
		"docker buildx imagetools inspect " + image + ":v1.2.3 --format={{.Manifest.Digest}}",
		"docker build --file=Dockerfile --tag=" + image + ":v1.2.3 --build-arg=VERSION=1.2.3 --platform=linux/amd64,linux/arm64 --push --metadata-file=" + r.dir + "/dist/image.json .",
		"helm pull oci://" + chart + " --version=1.2.3 --destination=",
		"helm push dist/flowcontrol-apiserver-1.2.3.tgz oci://" + charts,
		"cosign sign --yes " + image + "@" + imageDigest,
		"cosign attest --yes --type=cyclonedx --predicate=dist/flowcontrol-apiserver.cdx.json " + image + "@" + imageDigest,
		"cosign sign --yes " + chart + "@" + chartDigest,
		"cosign sign-blob --yes --bundle=dist/checksums.txt.sigstore.json dist/checksums.txt",
		"gh release view v1.2.3 --json=isDraft --jq=.isDraft",
		"gh release create v1.2.3 --draft --verify-tag --title=v1.2.3 --notes-file=dist/RELEASE_NOTES.md",
		"gh release upload v1.2.3 --clobber dist/apf.yaml dist/checksums.txt dist/checksums.txt.sigstore.json dist/flowcontrol-apiserver-1.2.3.tgz dist/flowcontrol-apiserver.cdx.json",
		"gh release edit v1.2.3 --draft=false",
	}, "\n")+"\n", regexp.MustCompile(`--destination=\S+`).ReplaceAllString(r.takeCalls(t), "--destination="))
	written, err := os.ReadFile(outputs)
	require.NoError(t, err)
	assert.Equal(t, "image="+image+"\nimage-digest="+imageDigest+"\nchart="+chart+"\nchart-digest="+chartDigest+"\n", string(written))

	assert.Equal(t, "refs/tags/kubectl-apf/v1.2.3\nrefs/tags/pkg/apf/v1.2.3\nrefs/tags/v1.2.3\n", r.pass(t, r.remote, "git for-each-ref --format='%(refname)' refs/tags"))
	r.assertModulesCanBeRequired(t)
}

func TestATagOnACommitThatIsNotPreparedPublishesNothing(t *testing.T) {
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
	assert.Equal(t, "ARG BUILD_IMAGE=docker.io/library/golang:1.26@"+baseDigest+"\nARG RUN_IMAGE=gcr.io/static:nonroot@"+imageDigest+"\nFROM ${RUN_IMAGE}\n",
		r.pass(t, r.dir, "cat Dockerfile"))
	r.pass(t, r.dir, "sed -i s/@"+baseDigest+"// Dockerfile && git commit --quiet --all --message=unpinned && git tag --force v1.2.3")
	output, err = r.run(t, r.dir, "hack/publish.sh v1.2.3 check")
	require.Error(t, err)
	assert.Contains(t, output, "Dockerfile names docker.io/library/golang:1.26 without a digest")
	output, err = r.run(t, r.dir, "hack/publish.sh 1.2.4 prepare")
	require.Error(t, err)
	assert.Contains(t, output, "CHANGELOG.md has neither '## 1.2.4' nor '## Unreleased'")
}

// TestAFailedReleaseIsRunAgain lets GitHub fail while it gets the files, and runs the failed job again, as
// its button does. What was pushed keeps its digest, and readers never see a release without its files.
func TestAFailedReleaseIsRunAgain(t *testing.T) {
	r := newPreparedRehearsal(t)
	for _, name := range []string{"build", "tags"} {
		output, err := r.job(t, name)
		require.NoError(t, err, output)
	}
	failing := filepath.Join(r.published, "failing")
	require.NoError(t, os.WriteFile(failing, nil, 0o600))
	isDraft := func() string { return r.pass(t, r.published, "cat draft") }

	_, err := r.job(t, "publish", "GITHUB_OUTPUT=/dev/null")
	require.Error(t, err)
	assert.Equal(t, "true\n", isDraft())
	r.takeCalls(t)
	require.NoError(t, os.Remove(failing))
	again, err := r.job(t, "publish", "GITHUB_OUTPUT=/dev/null")
	require.NoError(t, err, again)
	assert.Equal(t, "false\n", isDraft())
	assert.Contains(t, r.pass(t, r.published, "cat files"), "dist/checksums.txt.sigstore.json dist/flowcontrol-apiserver-1.2.3.tgz")
	assert.Contains(t, again, image+":v1.2.3 is published already")
	assert.Contains(t, again, chart+":1.2.3 is published already")
	calls := r.takeCalls(t)
	for _, once := range []string{"docker build ", "helm push ", "gh release create "} {
		assert.NotContains(t, calls, once)
	}
	assert.Contains(t, calls, "cosign sign --yes "+image+"@"+imageDigest)
	assert.Contains(t, calls, "cosign sign --yes "+chart+"@"+chartDigest)

	output, err := r.job(t, "tags")
	require.NoError(t, err, output)
	output, err = r.job(t, "publish", "GITHUB_OUTPUT=/dev/null")
	require.NoError(t, err, output)
	assert.Contains(t, output, "the release v1.2.3 is published already")
	calls = r.takeCalls(t)
	assert.NotContains(t, calls, "gh release upload", "GitHub may reject changes of a published release")

	r.pass(t, r.dir, "echo changed >>dist/flowcontrol-apiserver-1.2.3.tgz")
	output, err = r.job(t, "publish", "GITHUB_OUTPUT=/dev/null")
	require.Error(t, err)
	assert.Contains(t, output, "it differs from dist/flowcontrol-apiserver-1.2.3.tgz: make the next patch release")
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
