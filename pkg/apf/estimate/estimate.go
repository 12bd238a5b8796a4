package estimate

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

const (
	// MaxWidth is the largest estimate in seats.
	MaxWidth = 10

	objectsPerSeat  = 100
	watchersPerSeat = 10
	// notificationTime is how long the notification of a watcher takes.
	notificationTime = 5 * time.Millisecond
)

// width returns the largest estimate on a level whose own bound is maxWidth seats; 0
// means none.
func width(maxWidth int) int {
	if maxWidth <= 0 {
		return MaxWidth
	}
	return min(maxWidth, MaxWidth)
}

// One returns the work of one seat.
func One() seats.Work { return seats.Work{Initial: 1} }

// objects returns the largest number of objects that the server may handle for a list.
func objects(r Read, stored int64, cached bool) int64 {
	// Far above the largest estimate, and no sum overflows.
	stored = min(max(stored, 0), 1<<32)
	page := stored
	if r.Limit > 0 {
		page = min(r.Limit, stored)
	}
	switch {
	case cached:
		return stored
	case r.Selects:
		return stored + page
	default:
		return 2 * page
	}
}

// IsWrite reports whether the request notifies watchers. The token of a service
// account is not stored, so it notifies none.
func IsWrite(a *flow.Attributes) bool {
	switch a.Verb {
	case "create", "update", "patch", "delete":
		return a.Resource != "serviceaccounts" || a.Subresource != "token"
	default:
		return false
	}
}

// Write returns the estimate of a write that notifies this number of watchers, on a level whose
// bound is maxWidth seats; 0 means none.
func Write(watchers, maxWidth int) seats.Work {
	if watchers < watchersPerSeat {
		return One()
	}
	fanOut := seats.Work{
		Initial: 1,
		Final:   (watchers + watchersPerSeat - 1) / watchersPerSeat,
		Latency: notificationTime,
	}
	return fanOut.ClampFinal(width(maxWidth))
}
