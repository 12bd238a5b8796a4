package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
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
