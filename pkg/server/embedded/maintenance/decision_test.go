package maintenance

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

func TestDecide(t *testing.T) {
	const mebi = 1 << 20
	for name, test := range map[string]struct {
		size, inUse int64 // MiB, of a quota of 1000
		noSpace     bool
		since       time.Duration
		want        action
	}{
		"a small file that is mostly free stays":                      {63, 1, false, 24 * time.Hour, nothing},
		"a larger file that is mostly free is defragmented":           {64, 31, false, time.Hour, defragment},
		"but not twice within an hour":                                {64, 1, false, time.Hour - 1, nothing},
		"a file that is half in use stays":                            {500, 250, false, 24 * time.Hour, nothing},
		"a file near the quota is defragmented for a tenth":           {900, 800, false, time.Hour, defragment},
		"but not for less":                                            {900, 801, false, 24 * time.Hour, nothing},
		"at the quota, free space is returned at once":                {1000, 899, true, reliefInterval, defragment},
		"but not over and over":                                       {1000, 899, true, reliefInterval - 1, nothing},
		"at the quota, the history is removed if no space is free":    {1000, 900, true, 0, compact},
		"writes are accepted again when there is room":                {899, 899, true, 0, disarm},
		"writes are accepted again after a start with a larger quota": {100, 100, true, 0, disarm},
	} {
		t.Run(name, func(t *testing.T) {
			space := embedded.Space{SizeBytes: test.size * mebi, InUseBytes: test.inUse * mebi, QuotaBytes: 1000 * mebi, NoSpace: test.noSpace}
			assert.Equal(t, test.want, decide(space, test.since))
		})
	}
}
