package chaos

import "time"

// Kind is a kind of fault.
type Kind string

// The kinds of faults.
const (
	KillServer    Kind = "kill -9 of a server"
	PauseServer   Kind = "a server paused (SIGSTOP)"
	CutServer     Kind = "a server cut from etcd"
	HoldCache     Kind = "the watch cache of a server does not advance"
	SetClock      Kind = "the clock of a server wrong"
	KillMember    Kind = "kill -9 of an etcd member"
	PauseMember   Kind = "an etcd member paused (SIGSTOP)"
	CutMembers    Kind = "two etcd members cut from each other"
	IsolateMember Kind = "an etcd member cut from both others"
	FillDisk      Kind = "the disk of an etcd member full"
	MoveLeader    Kind = "etcd's leader moved"
	Defragment    Kind = "an etcd member defragmented"
	Compact       Kind = "etcd compacted"
	Roll          Kind = "rolling restart of all servers"
)

// Kinds returns all kinds in the order of reports.
func Kinds() []Kind {
	return []Kind{
		KillServer, PauseServer, CutServer, HoldCache, SetClock, KillMember, PauseMember, CutMembers, IsolateMember, FillDisk, MoveLeader, Defragment, Compact, Roll,
	}
}

// longest returns how long a fault of this kind lasts at most, 0 for what happens at
// once.
func (k Kind) longest() time.Duration {
	switch k {
	case PauseServer, PauseMember, CutServer, HoldCache, SetClock, CutMembers, IsolateMember:
		return 20 * time.Second
	case KillServer, KillMember, FillDisk:
		return 5 * time.Second
	default:
		return 0
	}
}

// Fault is a fault that happened.
type Fault struct {
	Kind Kind
	// Target is the number of the server or member.
	Target int
	// Start and End are times since the start of the run. End is when the cause was
	// removed: a process started again, a cut mended.
	Start, End time.Duration
}
