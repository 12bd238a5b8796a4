package tour

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const document = "# Title\n\n## Before\n\n```console\n$ not run\n```\n\n## Tour\n\nText.\n\n```console\n" +
	"$ one\nfirst 12s\nsecond\n$ two \\\n  more\n$ three <<EOF\nbody\nEOF\nlast\n```\n\n### Below\n\n```sh\n$ not run\n```\n\n" +
	"```console\n$ four\n```\n\n## After\n\n```console\n$ not run\n```\n"

func TestCommandsOfASectionAreFoundWithTheirOutputs(t *testing.T) {
	commands, err := Commands(document, "## Tour")
	require.NoError(t, err)
	require.Equal(t, []Command{
		{"one", "first 12s\nsecond\n"}, {"two \\\n  more", ""}, {"three <<EOF\nbody\nEOF", "last\n"}, {"four", ""},
	}, commands)
}

func TestOutputsAreWrittenInTheirPlaceAndNothingElse(t *testing.T) {
	s, err := parse(document, "## Tour")
	require.NoError(t, err)
	require.Equal(t, document, s.render([]string{"first 12s\nsecond \n\n", "", "last\n", ""}))
	written := s.render([]string{"new\n", "x", "", "y\n"})
	again, err := parse(written, "## Tour")
	require.NoError(t, err)
	require.Equal(t, s.commands, again.commands)
	require.Equal(t, []string{"new\n", "x\n", "", "y\n"}, []string{again.output(0), again.output(1), again.output(2), again.output(3)})
}

func TestASectionThatIsNotThereOrShowsNothingIsAnError(t *testing.T) {
	_, err := Commands(document, "## Missing")
	require.ErrorContains(t, err, `no section "## Missing"`)
	_, err = parse("## Empty\n", "## Empty")
	require.ErrorContains(t, err, "shows no command")
}

func TestWhatDiffersFromRunToRunIsNotCompared(t *testing.T) {
	require.Equal(t, shape("NAME   AGE\nx  12s\n"), shape("NAME AGE\nx      1m3s"))
	require.NotEqual(t, shape("NAME AGE\nx 12s\n"), shape("NAME AGE\ny 12s\n"))
	require.Equal(t, shape("LEVEL SEATS LIMIT OLDEST\nsystem  1  115  1.5s\n"), shape("LEVEL  SEATS  LIMIT  OLDEST\nsystem      0    117      -\n"))
	require.Equal(t, shape("Revision:   35\nrunning (process 7), 68 KiB, revision 35\nflowcontrol-apiserver-20260131T040000Z-r00000000000000000001.db (1s ago)\n"),
		shape("Revision: 1234\nrunning (process 12), 1.2 MiB, revision 1\nflowcontrol-apiserver-20270131T040000Z-r00000000000000000002.db (2m ago)\n"))
	require.NotEqual(t, shape("system  1  115  -\n"), shape("catch-all  1  115  -\n"))
	require.Equal(t, shape("https://127.0.0.1:1  0  56  0  executes  37(0)\n"), shape("https://127.0.0.1:2  1  58  1  executes  37(1)\n"))
	require.Equal(t, shape("upper 600, current 56 seats\n0 of 56 seats are in use.\n"), shape("upper 600, current 58 seats\n1 of 58 seats are in use.\n"))
}
