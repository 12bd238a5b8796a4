package exposition_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/exposition"
)

const family = "# HELP a Help.\n# TYPE a counter\na{b=\"c\"} 1\n"

func TestFamiliesAreFoundByName(t *testing.T) {
	families, err := exposition.Parse(strings.NewReader(family + "# TYPE d gauge\nd 2\n"))
	require.NoError(t, err)
	require.Len(t, families, 2)
	assert.InDelta(t, 1, families["a"].GetMetric()[0].GetCounter().GetValue(), 0)
}

func TestFamilyThatComesTwiceIsRejected(t *testing.T) {
	_, err := exposition.Parse(strings.NewReader(family + family))
	require.Error(t, err)
}
