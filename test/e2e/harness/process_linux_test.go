package harness

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

func TestWritesFailOnceTheDiskIsFull(t *testing.T) {
	const writes = `trap '' XFSZ; while echo line >> "$0"; do :; done`
	p := StartProcess(t, Command{Path: "/bin/sh", Args: []string{"-c", writes, filepath.Join(t.TempDir(), "file")}})
	require.NoError(t, p.FillDisk())
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	_, err := p.ExitCode(ctx)
	require.NoError(t, err)
}
