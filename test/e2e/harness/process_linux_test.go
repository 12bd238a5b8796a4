package harness

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

func TestPausedProcessStandsStill(t *testing.T) {
	etcd := StartEtcd(t, EtcdOptions{})
	busy := StartProcess(t, Command{Path: "/bin/sh", Args: []string{"-c", "while :; do :; done"}})
	for range 20 {
		for _, process := range []*Process{etcd.Process, busy} {
			process.Pause(t)
			threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", process.PID()))
			require.NoError(t, err)
			require.NotEmpty(t, threads)
			for _, thread := range threads {
				stat, err := os.ReadFile(thread)
				require.NoError(t, err)
				require.Regexp(t, `^\d+ \(.*\) T `, string(stat))
			}
			process.Resume()
		}
	}
}

func TestWritesFailOnceTheDiskIsFull(t *testing.T) {
	const writes = `trap '' XFSZ; while echo line >> "$0"; do :; done`
	p := StartProcess(t, Command{Path: "/bin/sh", Args: []string{"-c", writes, filepath.Join(t.TempDir(), "file")}})
	require.NoError(t, p.FillDisk())
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	_, err := p.ExitCode(ctx)
	require.NoError(t, err)
}
