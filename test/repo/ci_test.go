package repo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ciRepository is a repository with this one's .ci/run and a make that only
// prints its arguments.
type ciRepository struct {
	dir, bin, cache string
}

func newCIRepository(t *testing.T) ciRepository {
	t.Helper()
	r := ciRepository{dir: t.TempDir(), bin: t.TempDir(), cache: t.TempDir()}
	script, err := os.ReadFile(filepath.Join(root(t), ".ci", "run"))
	require.NoError(t, err)
	r.write(t, ".ci/run", string(script))
	r.write(t, "docs/evidence/benchmarks.md", "1")
	r.write(t, "main.go", "1")
	require.NoError(t, os.WriteFile(filepath.Join(r.bin, "make"), []byte("#!/bin/sh\necho \"asked for: $*\"\nexit \"${MAKE_STATUS:-0}\"\n"), 0o755))
	r.git(t, "init", "--quiet")
	r.commit(t)
	return r
}

func (r ciRepository) write(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(r.dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}

func (r ciRepository) git(t *testing.T, args ...string) string {
	t.Helper()
	identity := []string{"-c", "user.name=test", "-c", "user.email=test@example.com"}
	return strings.TrimSpace(string(command(t, r.dir, "git", append(identity, args...)...)))
}

func (r ciRepository) commit(t *testing.T) {
	t.Helper()
	r.git(t, "add", "--all")
	r.git(t, "commit", "--quiet", "--message=change")
}

// run runs .ci/run. It must pass or fail as make does.
func (r ciRepository) run(t *testing.T, status string, env ...string) string {
	t.Helper()
	ci := exec.CommandContext(t.Context(), "bash", ".ci/run")
	ci.Dir = r.dir
	ci.Env = append(append(os.Environ(), "CI_BASE=", "PATH="+r.bin+":"+os.Getenv("PATH"), "XDG_CACHE_HOME="+r.cache, "MAKE_STATUS="+status), env...)
	output, err := ci.CombinedOutput()
	require.Equal(t, status == "0", err == nil, "%s", output)
	return string(output)
}

func TestFiguresAloneNeedTheChecksAndEverythingElseTheTests(t *testing.T) {
	r := newCIRepository(t)
	first := r.git(t, "rev-parse", "HEAD")
	const checks, everything = "asked for: --keep-going verify\n", "asked for: --keep-going verify test\n"
	require.Contains(t, r.run(t, "2"), everything, "nothing has passed yet")
	r.write(t, "docs/evidence/benchmarks.md", "2")
	r.commit(t)
	require.Contains(t, r.run(t, "0"), everything, "what failed is no base")
	r.write(t, "docs/evidence/benchmarks.md", "3")
	r.commit(t)
	require.Contains(t, r.run(t, "0"), checks)

	r.write(t, "main.go", "2")
	require.Contains(t, r.run(t, "0"), everything, "a file that is not committed")
	r.commit(t)
	r.write(t, "docs/evidence/benchmarks.md", "4")
	r.commit(t)
	require.Contains(t, r.run(t, "0"), everything, "code in an earlier commit of the change")
	require.Contains(t, r.run(t, "0", "CI_BASE="+first), everything)
	require.Contains(t, r.run(t, "0", "CI_BASE="+r.git(t, "rev-parse", "HEAD~1")), checks)
}
