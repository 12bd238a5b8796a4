//go:build long

package harness

import (
	"debug/buildinfo"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

func TestReleasedServerIsCompiledByItsProfile(t *testing.T) {
	path, err := binaries.Release(t.Context())
	require.NoError(t, err)
	info, err := buildinfo.ReadFile(path)
	require.NoError(t, err)
	require.Regexp(t, `-pgo=.*default\.pgo\n`, info.String())
}
