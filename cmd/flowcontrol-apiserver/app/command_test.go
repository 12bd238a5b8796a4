package app

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// execute runs the program with arguments with which it does not serve.
func execute(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	command := NewCommand(t.Context(), &out)
	command.SetArgs(args)
	command.SetOut(&out)
	command.SetErr(&out)
	err := command.Execute()
	return out.String(), err
}

func TestVersionIsOneLineWithTheReleaseFollowed(t *testing.T) {
	out, err := execute(t, "--version")
	require.NoError(t, err)
	require.Regexp(t, `^flowcontrol-apiserver v\d+\.\d+\.\d+ \(Kubernetes v1\.33\.\d+, go[\d.]+.*\)\n$`, out)
}

func TestHelpGroupsTheFlags(t *testing.T) {
	out, err := execute(t, "--help")
	require.NoError(t, err)
	for _, text := range []string{"Standalone flags:", "Etcd flags:", "Secure serving flags:", "Authentication flags:", "--data-dir string"} {
		require.Contains(t, out, text)
	}
}

func TestUnknownFlagPointsToTheHelp(t *testing.T) {
	out, err := execute(t, "--nonsense")
	require.EqualError(t, err, "unknown flag: --nonsense; --help lists the flags")
	require.Empty(t, out, "main says it, once")
}

func TestArgumentThatIsNoFlagIsRefused(t *testing.T) {
	_, err := execute(t, "serve")
	require.ErrorContains(t, err, `"serve"`)
}
