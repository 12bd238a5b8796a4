package app

import (
	"bytes"
	"encoding/json"
	"regexp"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"k8s.io/component-base/version"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server"
)

// execute runs the program with arguments that do not make it serve.
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
	require.Regexp(t, `^flowcontrol-apiserver v\d+\.\d+\.\d+ \(Kubernetes v`+regexp.QuoteMeta(version.DefaultKubeBinaryVersion)+`\.\d+, go[\d.]+, \w+/\w+.*\)\n$`, out)

	again, err := execute(t, "version")
	require.NoError(t, err)
	require.Equal(t, out, again)
}

func TestVersionAsJSON(t *testing.T) {
	out, err := execute(t, "version", "-o", "json")
	require.NoError(t, err)
	var build server.Build
	require.NoError(t, json.Unmarshal([]byte(out), &build))
	require.Equal(t, server.BuildInfo(), build)
	require.Regexp(t, `^v\d+\.\d+\.\d+$`, build.Version)

	_, err = execute(t, "version", "-o", "xml")
	require.EqualError(t, err, "--output=xml: it must be json, or not set for one line of text")
}

func TestSubcommandsAreListedAndHaveTheirOwnHelp(t *testing.T) {
	out, err := execute(t, "--help")
	require.NoError(t, err)
	for _, text := range []string{"\nCommands:\n  completion  Generate the autocompletion script for the specified shell\n", "\n  version     Print the version\n", "Standalone flags:", "Etcd flags:", "--data-dir string"} {
		require.Contains(t, out, text)
	}

	for flag, command := range map[string][]string{"--output string": {"version"}, "--data-dir string": {"etcd", "snapshot"}} {
		out, err = execute(t, append(command, "--help")...)
		require.NoError(t, err)
		require.Contains(t, out, flag)
		require.NotContains(t, out, "--bind-address")
	}
}

func TestShellsCompleteFlags(t *testing.T) {
	out, err := execute(t, "__complete", "--etcd-ser")
	require.NoError(t, err)
	require.Contains(t, out, "--etcd-servers\t")

	out, err = execute(t, "completion", "bash")
	require.NoError(t, err)
	require.Contains(t, out, "bash completion V2 for flowcontrol-apiserver")
}

func TestUnknownFlagPointsToTheHelp(t *testing.T) {
	out, err := execute(t, "--nonsense")
	require.EqualError(t, err, "unknown flag: --nonsense; --help lists the flags")
	require.Empty(t, out, "main says it, once")
}

// Users of kube-apiserver type its flags.
func TestAFlagOfKubeAPIServerIsAnsweredWithFlagsOfThisServer(t *testing.T) {
	own := parsedNames(t)
	for flag, instead := range kubeAPIServerFlags() {
		require.NotContains(t, own, flag)
		_, err := execute(t, "--"+flag+"=RBAC")
		require.EqualError(t, err, "unknown flag: --"+flag+": "+instead+"; --help lists the flags")
		for _, named := range regexp.MustCompile(`--[a-z-]+`).FindAllString(instead, -1) {
			require.Contains(t, own, named[2:])
		}
	}
	_, err := execute(t, "--authorization-mode=RBAC")
	require.ErrorContains(t, err, "--authorization-rbac-file")
}

// parsedNames returns the names of all flags.
func parsedNames(t *testing.T) (names []string) {
	t.Helper()
	for _, set := range NewOptions().Flags().FlagSets {
		set.VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	}
	return names
}

func TestArgumentThatIsNoFlagIsRejected(t *testing.T) {
	_, err := execute(t, "serve")
	require.ErrorContains(t, err, `"serve"`)
}
