package source_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
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
	return plain.Bounds{File: 1 << 16, Document: 1 << 14, Members: 20, Documents: 20, Sum: 1 << 18, Ratio: 1 << 18, Kept: 1 << 17, Depth: 3, Aliases: 1 << 10}
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
	random := make([]byte, 50_000)
	_, _ = rand.NewChaCha8([32]byte{}).Read(random) // it returns no error
	noise, padding := string(random), strings.Repeat("# x\n", 12_500)
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
		{"an archive in many others", nested(t, 20), 0, "f:r/r.zip:r/r.zip:r/r.zip:r/r.zip. It cannot be read: too much to read: archives in one another; the bound is 3."},
		{"many files", zipped(t, many), 0, "too much to read: number of files; the bound is 20."},
		{"much together", zipped(t, map[string]string{"a": strings.Repeat("a", 1<<16), "b": strings.Repeat("b", 1<<16), "c": strings.Repeat("c", 1<<16), "d": strings.Repeat("d", 1<<16), "e": "e"}), 0, "bytes of the files in an archive; the bound is 262144."},
		{"a long file", zipped(t, map[string]string{"a": strings.Repeat("a", 1<<16+1), "b": levelsText}), 1, "f:a. It cannot be read: too much to read: bytes of the file; the bound is 65536."},
		{"a long file that is no archive", strings.Repeat("a", 1<<16+1), 0, "too much to read: bytes of the file; the bound is 65536."},
		{"a name that writes to the terminal", zipped(t, map[string]string{"\x1b[2J\a": "x", "b": levelsText}), 1, `f:\x1b[2J\a. It has no flow schema`},
		{"a member that was cut off", archived(t, map[string]string{"a.gz": gzipped(t, levelsText)[:40], "b": levelsText}), 1, "f:a.gz. It cannot be read: unexpected EOF."},
		{"an archive that was cut off", archived(t, map[string]string{"a": levelsText, "b": noise})[:30_000], 1, "f:b. They cannot be read: unexpected EOF."},
		{"a compressed file that is compressed again", gzipped(t, archived(t, map[string]string{"a.gz.gz": gzipped(t, gzipped(t, levelsText))})), 1, ""},
		{"what is not decompressed", "\xfd7zXZ\x00\x00\x00", 0, "f. It cannot be read: it is compressed with xz or bzip2, which are not read: decompress it first."},
		{"much that is kept", zipped(t, map[string]string{"a/m": metricsOf(1) + padding, "b/m": metricsOf(2) + padding, "c/m": metricsOf(3) + padding}), 2, "f:c/m. It is too much to read: bytes of the answers and objects together; the bound is 131072."},
	} {
		t.Run(test.name, func(t *testing.T) {
			servers, says := readSaved(t, "f", test.content, small())
			assert.Equal(t, test.servers, servers, says)
			assert.Contains(t, says, test.says)
		})
	}
}

// A small archive of much is a bomb, whatever a large one may have.
func TestAnArchiveIsBoundedByItsOwnSize(t *testing.T) {
	bounds := small()
	bounds.Ratio = 2
	text := strings.Repeat("a", 1<<16)
	servers, says := readSaved(t, "f", archived(t, map[string]string{"a": text, "b": levelsText}), bounds)
	assert.Zero(t, servers)
	assert.Regexp(t, `f:a: too much to read: bytes of the files in an archive of \d+ bytes; the bound is 131072\.`, says)
}

func TestFilesAreReadWithinBounds(t *testing.T) {
	schema := schemaYAML("a", "v1", "l")
	for _, test := range []struct {
		name, says string
		files      map[string]string
	}{
		{"a long YAML document", "too much to read: bytes of a YAML document; the bound is 4194304", map[string]string{"a.yaml": schema + "# " + strings.Repeat("a", 1<<22)}},
		{"many documents", "a.yaml: too much to read: number of documents; the bound is 20", map[string]string{"a.yaml": strings.Repeat("---\n"+schema, 30)}},
		{"many JSON documents", "a.json:21: too much to read: number of documents; the bound is 20", map[string]string{"a.json": strings.Repeat("{}\n", 30)}},
		{"many documents of several files", "b.yaml: too much to read: number of documents; the bound is 20", map[string]string{"a.yaml": strings.Repeat("---\n"+schema, 15), "b.yaml": strings.Repeat("---\n"+schema, 15)}},
		{"many objects of a list", "too much to read: number of documents; the bound is 20000", map[string]string{"a.json": `{"kind":"FlowSchemaList","items":[` + strings.Repeat("{},", 20_000) + `{}]}`}},
		{"large files together", "too much to read: bytes of the files together; the bound is 131072", map[string]string{"a.yaml": strings.Repeat("# a\n", 1<<14), "b.yaml": strings.Repeat("# a\n", 1<<14), "c.yaml": schema}},
		{"a large file", "a.yaml: too much to read: bytes of the file; the bound is 65536", map[string]string{"a.yaml": strings.Repeat("# a\n", 1<<15) + schema}},
	} {
		t.Run(test.name, func(t *testing.T) {
			directory := t.TempDir()
			write(t, directory, test.files)
			bounds := small()
			if strings.Contains(test.says, "a YAML document") || strings.Contains(test.says, "20000") {
				bounds = plain.Default()
			}
			files, err := newSource(t, source.Options{Offline: true, Bounds: bounds, Files: resource.FilenameOptions{Filenames: []string{directory}}}).Files()
			assert.Contains(t, errors.Join(err, files.Err()).Error(), test.says)
		})
	}
}

// Each directory names the next one twice, so that there are as many objects as two to the number of directories.
func TestKustomizationsAreReadWithinBounds(t *testing.T) {
	directory := t.TempDir()
	write(t, directory, map[string]string{"0/x.yaml": schemaYAML("a", "v1", "l"), "0/kustomization.yaml": "resources: [x.yaml]\n"})
	for i := 1; i < 12; i++ { // 2000 files are reached
		for _, side := range []string{"a", "b"} {
			write(t, directory, map[string]string{fmt.Sprintf("%d%s/kustomization.yaml", i, side): fmt.Sprintf("namePrefix: %s\nresources: [../%d]\n", side, i-1)})
		}
		write(t, directory, map[string]string{fmt.Sprintf("%d/kustomization.yaml", i): fmt.Sprintf("resources: [../%da, ../%db]\n", i, i)})
	}
	write(t, directory, map[string]string{"bomb/x.yaml": "kind: FlowSchema\na: &a [" + strings.Repeat("abcdefgh, ", 1000) + "x]\nb: [" + strings.Repeat("*a, ", 1000) + "x]\n", "bomb/kustomization.yaml": "resources: [x.yaml]\n"})
	for name, says := range map[string]string{"2": "", "11": "too much to read: number of files; the bound is 2000", "bomb": "too much to read: bytes that aliases add"} {
		files, err := newSource(t, source.Options{Offline: true, Files: resource.FilenameOptions{Kustomize: filepath.Join(directory, name)}}).Files()
		if says == "" {
			require.NoError(t, errors.Join(err, files.Err()))
			assert.Len(t, files.Objects, 4)
			continue
		}
		assert.Contains(t, errors.Join(err, files.Err()).Error(), says)
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
	assert.Regexp(t, `aliases.yaml:1: line \d+: too much to read: bytes that aliases add; the bound is 4194304`, err.Error())

	_, err = plain.Default().Nodes([]byte("a: &a {b: 1}\nc: {<<: *a, d: [*a, *a]}\n"))
	require.NoError(t, err)
	require.ErrorIs(t, plain.Bounds{Document: 1}.JSON([]byte("[1,2]")), plain.ErrBound)
	_, err = plain.Default().Nodes([]byte("a: &a [*a]"))
	require.Error(t, err)
}
