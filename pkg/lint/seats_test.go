package lint

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSharesDropNamesTheCause(t *testing.T) {
	for _, test := range []struct {
		name    string
		mine    int32
		system  int32
		object  string
		message string
		related []Object
	}{
		{
			"a new level with many shares", 300, 30, "mine",
			`The shares beyond the default configuration, 300 of them here, leave "catch-all", "global-default", "leader-election" and 4 more less than half of their seats: "catch-all" has 6 instead of 13.`,
			[]Object{
				levelObject("catch-all"), levelObject("global-default"), levelObject("leader-election"), levelObject("node-high"),
				levelObject("system"), levelObject("workload-high"), levelObject("workload-low"),
			},
		},
		{
			"a built-in level that gained less", 290, 299, "mine",
			`The shares beyond the default configuration, 290 of them here, leave "catch-all", "global-default", "leader-election" and 3 more less than half of their seats: "catch-all" has 4 instead of 13.`,
			[]Object{
				levelObject("catch-all"), levelObject("global-default"), levelObject("leader-election"), levelObject("node-high"),
				levelObject("workload-high"), levelObject("workload-low"),
			},
		},
		{"a built-in level with few shares", 20, 14, "system", "This built-in level has 34 seats, less than half of its 74 in the default configuration.", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			bundle, _, level := faultless()
			level.Spec.Limited.NominalConcurrencyShares = new(test.mine)
			levels := newJudge(&bundle).levels
			levels["system"].Spec.Limited.NominalConcurrencyShares = new(test.system)
			findings := sharesDrop(levels, release().complete(), 600)
			require.Len(t, findings, 1)
			require.Equal(t, levelObject(test.object), findings[0].Object)
			require.Equal(t, test.message, findings[0].Message)
			require.Equal(t, test.related, findings[0].Related)
		})
	}
}
