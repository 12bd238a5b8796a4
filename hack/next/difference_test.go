package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatAReleaseChangesIsListed(t *testing.T) {
	for _, c := range []struct {
		name  string
		found func(folders []string) (map[string]string, error)
		want  string
	}{
		{
			"feature gates", gates,
			"  new      Comes  Alpha, off\n" +
				"  gone     Goes  GA, on, locked\n" +
				"  changed  RisesByAnotherName  Beta, off -> Beta, on\n",
		},
		{
			"flags", flags,
			"  new      curves  \n" +
				"  gone     leaves  \n" +
				"  changed  path   -> deprecated\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, err := c.found([]string{"testdata/before"})
			require.NoError(t, err)
			after, err := c.found([]string{"testdata/after"})
			require.NoError(t, err)
			var out bytes.Buffer
			printDifferences(&out, before, after)
			assert.Equal(t, c.want, out.String())
			out.Reset()
			printDifferences(&out, after, after)
			assert.Equal(t, "  none\n", out.String())
		})
	}
}

func TestFlagsAreFoundByConstantsAndShorthandsToo(t *testing.T) {
	found, err := flags([]string{"testdata/before"})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"path": "", "verbosity": "", "name-in-a-constant": "", "leaves": ""}, found)
}
