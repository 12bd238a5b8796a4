package source_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/plain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

func small() plain.Bounds {
	return plain.Bounds{File: 1 << 16, Members: 20, Sum: 1 << 18, Depth: 3, Aliases: 1 << 10}
}

// readSaved reads a file of saved API responses, and returns the number of API servers and the sentences about it.
func readSaved(t testing.TB, name, content string, bounds plain.Bounds) (servers int, says string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	from, err := source.New(source.Options{Dumps: path, Bounds: bounds})
	require.NoError(t, err)
	states, err := from.Replicas(t.Context(), source.Want{Levels: true, Metrics: true})
	if err != nil {
		return 0, err.Error()
	}
	for _, state := range states {
		says += whys(state.Missing) + "\n"
	}
	return len(states), says
}

// nested is a zip archive in so many others, as a quine is in itself.
func nested(t testing.TB, depth int) string {
	content := zipped(t, map[string]string{"x": levelsText})
	for range depth {
		content = zipped(t, map[string]string{"r/r.zip": content})
	}
	return content
}

func TestArchivesAreReadWithinBounds(t *testing.T) {
	many := map[string]string{}
	for i := range 30 {
		many[strings.Repeat("x", i+1)] = levelsText
	}
	for _, test := range []struct {
		name, content string
		servers       int
		says          string
	}{
		{"an archive in two others", nested(t, 2), 1, ""},
		{"an archive in many others", nested(t, 20), 0, "f:r/r.zip:r/r.zip:r/r.zip:r/r.zip. It cannot be unpacked: too much to read: archives in one another; the bound is 3."},
		{"many files", zipped(t, many), 0, "too much to read: files in an archive; the bound is 20."},
		{"much together", zipped(t, map[string]string{"a": strings.Repeat("a", 1<<16), "b": strings.Repeat("b", 1<<16), "c": strings.Repeat("c", 1<<16), "d": strings.Repeat("d", 1<<16), "e": "e"}), 0, "bytes of the files in an archive; the bound is 262144."},
		{"a long file", zipped(t, map[string]string{"a": strings.Repeat("a", 1<<16+1), "b": levelsText}), 1, "f:a. It cannot be unpacked: too much to read: bytes of the file; the bound is 65536."},
		{"a long file that is no archive", strings.Repeat("a", 1<<16+1), 0, "too much to read: bytes of the file; the bound is 65536."},
		{"a name that writes to the terminal", zipped(t, map[string]string{"\x1b[2J\a": "x", "b": levelsText}), 1, `f:\x1b[2J\a. It has no flow schema`},
		{"a member that was cut off", archived(t, map[string]string{"a.gz": gzipped(t, levelsText)[:40], "b": levelsText}), 1, "f:a.gz. It cannot be unpacked: unexpected EOF."},
	} {
		t.Run(test.name, func(t *testing.T) {
			servers, says := readSaved(t, "f", test.content, small())
			assert.Equal(t, test.servers, servers, says)
			assert.Contains(t, says, test.says)
		})
	}
}

// FuzzArchives reads what a stranger sends: whatever it is, memory stays within what the bounds allow.
func FuzzArchives(f *testing.F) {
	files := map[string]string{"a/x": levelsText, "b/x.gz": gzipped(f, metricsOf(1)), "c/x.yaml": schemaYAML("a", "v1", "l")}
	for _, seed := range []string{levelsText, zipped(f, files), archived(f, files), nested(f, 2)} {
		f.Add([]byte(seed))
	}
	for _, seed := range []string{"PK\x03\x04", "\x1f\x8b", "\x28\xb5\x2f\xfd\x04\x00", "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: &a {name: *a}\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		readSaved(t, "f", string(content), small())
		runtime.ReadMemStats(&after)
		// A zstd decoder and a decoder of objects take some megabytes each.
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20+64*len(content)))
	})
}

// 150,000 aliases in 470 KB stood for 5.3 GB.
func TestAliasesOfManifestsAreBounded(t *testing.T) {
	text := "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: x}\nx-values: &v [" + strings.Repeat("abcdefgh, ", 1000) + "x]\nspec:\n  rules:\n"
	for range 1000 {
		text += "  - *v\n"
	}
	path := filepath.Join(t.TempDir(), "aliases.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	files, err := newSource(t, source.Options{Offline: true, Files: resource.FilenameOptions{Filenames: []string{path}}}).Files()
	require.Error(t, err)
	require.Len(t, files.Errors, 1)
	require.ErrorIs(t, files.Errors[0], plain.ErrBound)
	assert.Regexp(t, `aliases.yaml:1: line \d+: too much to read: bytes that aliases add; the bound is 16777216`, err.Error())

	_, err = plain.Default().Nodes([]byte("a: &a {b: 1}\nc: {<<: *a, d: [*a, *a]}\n"))
	require.NoError(t, err)
	_, err = plain.Default().Nodes([]byte("a: &a [*a]"))
	require.Error(t, err)
}
