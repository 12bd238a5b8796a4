package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

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

func TestAQuantileIsOfRequestsThatWereUnderWay(t *testing.T) {
	start := time.Unix(0, 0)
	at := func(began, took time.Duration) errand { return errand{start.Add(began), took} }
	errands := []errand{at(0, time.Second), at(9*time.Second, 3*time.Second), at(11*time.Second, 2*time.Second), at(20*time.Second, time.Hour)}
	seconds, count := quantile(errands, 0.99, start.Add(10*time.Second), start.Add(20*time.Second))
	assert.InDelta(t, 3, seconds, 1e-9, "of the one that began before")
	assert.Equal(t, 2, count)
	seconds, count = quantile(nil, 0.99, start, start.Add(time.Second))
	assert.Zero(t, seconds)
	assert.Zero(t, count)
}

func TestTheNameOfAnUnknownServerIsRejected(t *testing.T) {
	s, err := find("keda")
	require.NoError(t, err)
	assert.Equal(t, "keda-v2210", anchor(s))
	_, err = find("karmada")
	assert.ErrorContains(t, err, "metrics-server, custom-metrics, keda, sample-apiserver, kueue, apiextensions")
}
