package lane

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSeedIsTheGivenOneElseFixedInTheShortLaneAndNewInTheLong(t *testing.T) {
	for _, long := range []bool{false, true} {
		seed, err := choose("7", long)
		require.NoError(t, err)
		require.EqualValues(t, 7, seed)
	}
	short, err := choose("", false)
	require.NoError(t, err)
	require.EqualValues(t, 1, short)

	one, err := choose("", true)
	require.NoError(t, err)
	other, err := choose("", true)
	require.NoError(t, err)
	require.NotEqual(t, one, other, "two runs of the long lane make the same choices")

	_, err = choose("seven", false)
	require.Error(t, err)
}

func TestTheCommandThatRepeatsASeedNamesTheSubtestAlone(t *testing.T) {
	command := repetition(7, "TestX/it's_on_an_etcd_(one)")
	require.Regexp(t, `^SEED=7 go test -count=1 .*-run `, command)
	require.Contains(t, command, `-run '^TestX$/^it.s_on_an_etcd_\(one\)$' .`)
}
