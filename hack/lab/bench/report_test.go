package main

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// tableOf returns the text of a table after six rounds of add.
func tableOf(t *testing.T, shown table, add func(*measurement.Log) error) string {
	t.Helper()
	log, err := measurement.NewLog(filepath.Join(t.TempDir(), "log.txt"))
	require.NoError(t, err)
	for range 6 {
		require.NoError(t, add(log))
	}
	measured, err := log.Rounds()
	require.NoError(t, err)
	body, err := shown.body(measured)
	require.NoError(t, err)
	return body
}

func TestTableComparesTheTwoServers(t *testing.T) {
	shown := table{rows: []measurement.Comparison{compare("a get", "Get", seconds, 0.5)}}
	body := tableOf(t, shown, func(log *measurement.Log) error {
		return errors.Join(log.Add(ours.of("Get"), 1, measurement.Values{seconds: 1}), log.Add(theirs.of("Get"), 1, measurement.Values{seconds: 4}))
	})
	assert.Contains(t, body, "| case | this server | kube-apiserver | ratio |")
	assert.Contains(t, body, "| a get | 1.000s | 4.000s | 0.25 | 0.25 to 0.25 |")
	_, err := shown.body(measurement.Rounds{})
	require.ErrorContains(t, err, "benchmark Get/server=flowcontrol-apiserver gave no sec")
}
