package repo

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The names that a rehearsal has. Image and chart are in registries of their own.
const (
	project = "github.com/flowcontrol-apiserver/flowcontrol-apiserver"
	image   = "images.example/team/server"
	charts  = "charts.example/team"
	chart   = charts + "/flowcontrol-apiserver"
	// Of the base image, and of what the stand-ins push.
	baseDigest  = "sha256:0909090909090909090909090909090909090909090909090909090909090909"
	imageDigest = "sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"
	chartDigest = "sha256:0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b"
)

// standIns are the bodies of programs that write into PUBLISHED what registries and GitHub would have.
func standIns() map[string]string {
	return map[string]string{
		"docker": `case "$1 $2" in
build*--file*) echo ` + imageDigest + ` >"$PUBLISHED/image"
  for a; do case $a in --metadata-file=*) printf '{\n  "containerimage.digest": "` + imageDigest + `",\n  "image.name": "x"\n}\n' >"${a#*=}" ;; esac; done ;;
buildx*) case $4 in
  docker.io/*) echo ` + baseDigest + ` ;;
  *) cat "$PUBLISHED/image" ;;
  esac ;;
esac`,
		"helm": `case $1 in
push) cp "$2" "$PUBLISHED" ;;
pull) cp "$PUBLISHED"/*.tgz "${4#*=}" || exit 1 ;;
esac
echo Digest: ` + chartDigest + ` >&2`,
		"cosign": `for a; do case $a in --bundle=*) echo signed >"${a#*=}" ;; esac; done`,
		"gh": `cd "$PUBLISHED"
case $2 in
view) cat draft ;;
create) [ ! -e draft ] || exit 1; echo true >draft ;;
upload) if [ -e failing ]; then exit 1; fi; shift 4; echo "$*" >files ;;
edit) echo "${4#*=}" >draft ;;
esac`,
		"make": "",
	}
}

// rehearsal is a small repository with the modules and the scripts of this one, a remote on disk, and
// stand-ins on the PATH that also write down their calls.
type rehearsal struct {
	dir, remote, calls, published string
	environment                   []string
}

func newRehearsal(t *testing.T) rehearsal {
	t.Helper()
	r := rehearsal{dir: t.TempDir(), remote: filepath.Join(t.TempDir(), "remote.git"), calls: filepath.Join(t.TempDir(), "calls"), published: t.TempDir()}
	bin := t.TempDir()
	for name, then := range standIns() {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\necho \"${0##*/} $*\" >>"+r.calls+"\n"+then+"\n"), 0o755))
	}
	r.environment = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "PUBLISHED="+r.published, "GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@example.com",
		"GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@example.com", "GIT_CONFIG_GLOBAL=/dev/null", "GOWORK=off", "GOFLAGS=-mod=mod")
	for _, name := range []string{"hack/publish.sh", "hack/image.sh", "hack/base.sh"} {
		r.write(t, name, fileText(t, name))
	}
	r.write(t, "hack/names.env", "MODULE="+project+"\nIMAGE="+image+"\nCHARTS="+charts+"\n")
	// What the script builds is held by the tests of release.sh.
	r.write(t, "hack/release.sh", "mkdir -p dist && cd dist && touch RELEASE_NOTES.md checksums.txt apf.yaml flowcontrol-apiserver.cdx.json flowcontrol-apiserver-$1.tgz\n")
	r.write(t, "Dockerfile", "ARG BUILD_IMAGE=docker.io/library/golang:1.26\nARG RUN_IMAGE=gcr.io/static:nonroot@"+imageDigest+"\nFROM ${RUN_IMAGE}\n")
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

// newPreparedRehearsal is one with the tag v1.2.3 on a prepared commit.
func newPreparedRehearsal(t *testing.T) rehearsal {
	t.Helper()
	r := newRehearsal(t)
	r.pass(t, r.dir, "hack/publish.sh 1.2.3 prepare && git commit --quiet --all --message=release && git tag v1.2.3 && git push --quiet origin HEAD:refs/heads/main v1.2.3")
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

// job runs the commands of a job of release.yaml until one fails.
func (r rehearsal) job(t *testing.T, name string, environment ...string) (output string, err error) {
	t.Helper()
	job, ok := workflowOf(t, ".github/workflows/release.yaml").Jobs[name]
	require.True(t, ok, name)
	for _, step := range job.Steps {
		if step.Run == "" {
			continue
		}
		printed, err := r.run(t, r.dir, step.Run, append([]string{"RELEASE=v1.2.3", "ACTOR=someone", "TOKEN=secret"}, environment...)...)
		if output += printed; err != nil {
			return output, err
		}
	}
	return output, nil
}

// takeCalls returns the calls of the stand-ins since the last time, one a line.
func (r rehearsal) takeCalls(t *testing.T) string {
	t.Helper()
	calls, err := os.ReadFile(r.calls)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(r.calls, 0))
	return string(calls)
}
