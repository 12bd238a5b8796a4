package maintenance

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

const (
	// leastSize is the size of a database, in bytes, below which a SpaceKeeper leaves
	// free space in it.
	leastSize int64 = 64 << 20
	// defragmentInterval separates defragmentations, during which etcd does not
	// answer.
	defragmentInterval = time.Hour
	// reliefInterval separates them while etcd rejects writes.
	reliefInterval = time.Minute
)

// action is what a round does.
type action string

const (
	nothing    action = ""
	compact    action = "compact"
	defragment action = "defragment"
	disarm     action = "disarm"
)

// decide returns what to do about the space of a database, whose last
// defragmentation was so long ago. Below the size least, in bytes, free space does not
// matter. Compacted is set if the history was removed a moment ago.
func decide(space embedded.Space, since time.Duration, least int64, compacted bool) action {
	free := space.SizeBytes - space.InUseBytes
	switch {
	case space.NoSpace && hasRoom(space.SizeBytes, space):
		return disarm
	case space.NoSpace && !compacted:
		return compact
	case space.NoSpace && hasRoom(space.InUseBytes, space) && since >= reliefInterval:
		return defragment
	case space.NoSpace, since < defragmentInterval:
		return nothing
	case space.SizeBytes >= least && free > space.SizeBytes/2:
		return defragment
	case !hasRoom(space.SizeBytes, space) && free >= space.QuotaBytes/10:
		return defragment
	default:
		return nothing
	}
}

// hasRoom reports whether a size is below nine tenths of the quota.
func hasRoom(size int64, space embedded.Space) bool { return size < space.QuotaBytes/10*9 }
