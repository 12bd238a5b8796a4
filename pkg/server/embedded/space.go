package embedded

import (
	"go.etcd.io/etcd/api/v3/etcdserverpb"
)

const (
	// DefaultQuotaBytes is etcd's default, too. A thousand writes a second of objects
	// of this API need about a gigabyte between two compactions.
	DefaultQuotaBytes int64 = 2 << 30
	// MinQuotaBytes leaves room for the objects and some history.
	MinQuotaBytes int64 = 4 << 20
	// MaxQuotaBytes is the largest quota that etcd's authors recommend.
	MaxQuotaBytes int64 = 8 << 30
)

// Space is what the database of an etcd takes and may take.
type Space struct {
	// SizeBytes is the size of the file, InUseBytes the part of it that holds data. The
	// rest is used by later writes, or returned to the file system by
	// defragmentation.
	SizeBytes, InUseBytes int64
	// QuotaBytes is the size beyond which etcd rejects writes.
	QuotaBytes int64
	// NoSpace is set while etcd rejects writes because the quota was reached.
	NoSpace bool
}

// Space returns the space of the database now. It reads memory only.
func (e *Etcd) Space() Space {
	database := e.server.Server.Backend()
	space := Space{SizeBytes: database.Size(), InUseBytes: database.SizeInUse(), QuotaBytes: e.quota}
	for _, alarm := range e.server.Server.Alarms() {
		space.NoSpace = space.NoSpace || alarm.Alarm == etcdserverpb.AlarmType_NOSPACE
	}
	return space
}
