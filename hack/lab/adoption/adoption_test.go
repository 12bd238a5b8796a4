package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLinesThatDifferFromThePlainProgramAreCounted(t *testing.T) {
	m := module{dir: t.TempDir()}
	write := func(program, text string) {
		require.NoError(t, os.MkdirAll(filepath.Join(m.dir, program), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(m.dir, program, "main.go"), []byte(text), 0o600))
	}
	write(plain, "// Command plain is a server.\npackage main\n\nfunc main() {\n\trun(1)\n}\n")
	write(fair, "// Command fair is a server with flow control.\npackage main\n\nfunc main() {\n\tflow()\n\n\trun(2)\n\tend()\n}\n")
	got, err := m.changed(t.Context(), fair)
	require.NoError(t, err)
	assert.Equal(t, lines{Added: 3, Deleted: 1}, got, "neither the comment nor an empty line")
	got, err = m.changed(t.Context(), library)
	require.NoError(t, err)
	assert.Equal(t, lines{}, got, "a server without that program runs plain")
}

func TestTheNameOfAnUnknownServerIsRejected(t *testing.T) {
	_, err := find("keda")
	require.NoError(t, err)
	_, err = find("karmada")
	assert.ErrorContains(t, err, "metrics-server, custom-metrics, keda, sample-apiserver, kueue, apiextensions")
}

func TestRowsOfASectionAreThoseOfItsServers(t *testing.T) {
	page := "| keda | 0 |\n<!-- latency: begin; written by make adoption -->\n| server | p99 |\n|---|---|\n" +
		"| keda v2 | 1 |\n| kueue | 2 |\n| kueue | 3 |\n<!-- latency: end -->\n| kueue | 4 |\n"
	rows := rowsOf(page, "latency")
	assert.Equal(t, map[string]string{"server": "| server | p99 |\n", "keda": "| keda v2 | 1 |\n", "kueue": "| kueue | 2 |\n| kueue | 3 |\n"}, rows)
	assert.Empty(t, rowsOf(page, "summary"))
}
