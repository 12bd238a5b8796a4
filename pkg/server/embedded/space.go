package embedded

import "go.etcd.io/etcd/api/v3/etcdserverpb"

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
	// SizeBytes is the size of the file, free pages included. etcd rejects writes beyond QuotaBytes.
	SizeBytes, QuotaBytes int64
	// NoSpace is set once the quota was reached, until the alarm is disarmed: etcd rejects writes.
	NoSpace bool
}

// Space returns the space of the database now. It reads memory only.
func (e *Etcd) Space() Space {
	space := Space{SizeBytes: e.server.Server.Backend().Size(), QuotaBytes: e.quota}
	for _, alarm := range e.server.Server.Alarms() {
		space.NoSpace = space.NoSpace || alarm.Alarm == etcdserverpb.AlarmType_NOSPACE
	}
	return space
}
