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
		compacted   bool
		since       time.Duration
		want        action
	}{
		"a small file that is mostly free stays":                      {size: 63, inUse: 1, since: 24 * time.Hour, want: nothing},
		"a larger file that is mostly free is defragmented":           {size: 64, inUse: 31, since: time.Hour, want: defragment},
		"but not twice within an hour":                                {size: 64, inUse: 1, since: time.Hour - 1, want: nothing},
		"a file that is half in use stays":                            {size: 500, inUse: 250, since: 24 * time.Hour, want: nothing},
		"a file near the quota is defragmented for a tenth":           {size: 900, inUse: 800, since: time.Hour, want: defragment},
		"but not for less":                                            {size: 900, inUse: 801, since: 24 * time.Hour, want: nothing},
		"at the quota, the history is removed first":                  {size: 1000, inUse: 500, noSpace: true, since: time.Hour, want: compact},
		"then the free space is returned":                             {size: 1000, inUse: 899, noSpace: true, compacted: true, since: reliefInterval, want: defragment},
		"but not over and over":                                       {size: 1000, inUse: 899, noSpace: true, compacted: true, since: reliefInterval - 1, want: nothing},
		"nothing helps if the data need the quota":                    {size: 1000, inUse: 900, noSpace: true, compacted: true, since: 24 * time.Hour, want: nothing},
		"writes are accepted again when there is room":                {size: 899, inUse: 899, noSpace: true, compacted: true, want: disarm},
		"writes are accepted again after a start with a larger quota": {size: 100, inUse: 100, noSpace: true, want: disarm},
	} {
		t.Run(name, func(t *testing.T) {
			space := embedded.Space{SizeBytes: test.size * mebi, InUseBytes: test.inUse * mebi, QuotaBytes: 1000 * mebi, NoSpace: test.noSpace}
			assert.Equal(t, test.want, decide(space, test.since, leastSize, test.compacted))
		})
	}
}
