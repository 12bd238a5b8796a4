package estimate

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

const (
	// MaxWidth bounds every estimate, in seats.
	MaxWidth = 10

	objectsPerSeat  = 100
	watchersPerSeat = 10
	// notification is how long it takes a watcher to hear of a change.
	notification = 5 * time.Millisecond
)

// width returns the bound of an estimate on a level whose own bound is
// maxWidth seats, where 0 means that it has none.
func width(maxWidth int) int {
	if maxWidth <= 0 {
		return MaxWidth
	}
	return min(maxWidth, MaxWidth)
}

// One is the work of a request that is not worth a closer look.
func One() seats.Work { return seats.Work{Initial: 1} }

// Most is the work of a read that may be as large as it gets.
func Most(maxWidth int) seats.Work { return seats.Work{Initial: width(maxWidth)} }

// List is what is known of a list before it is made.
type List struct {
	// Stored is the number of objects of the type in all namespaces.
	Stored int64
	// Limit is the size of a page in objects. A number that is not positive
	// means no limit.
	Limit int64
	// Selects tells whether there is a selector of labels or fields.
	Selects bool
	// Cached tells whether the list is made from the watch cache.
	Cached bool
}

// Objects returns how many objects the server will handle, at most.
func (l List) Objects() int64 {
	// Far more than any estimate tells apart, and far from overflowing.
	stored := min(max(l.Stored, 0), 1<<32)
	page := stored
	if l.Limit > 0 {
		page = min(l.Limit, stored)
	}
	switch {
	case l.Cached:
		return stored
	case l.Selects:
		return stored + page
	default:
		return 2 * page
	}
}

// Work returns the estimate on a level whose bound is maxWidth seats, 0 for
// none.
func (l List) Work(maxWidth int) seats.Work {
	n := (l.Objects() + objectsPerSeat - 1) / objectsPerSeat
	return seats.Work{Initial: int(min(max(n, 1), int64(width(maxWidth))))}
}

// IsWrite reports whether those who watch hear of what the request does. A token
// of a service account is not stored, so nobody hears of it.
func IsWrite(a *flow.Attributes) bool {
	switch a.Verb {
	case "create", "update", "patch", "delete":
		return a.Resource != "serviceaccounts" || a.Subresource != "token"
	default:
		return false
	}
}

// IsFannedOut reports whether a write that so many watchers hear of costs more
// than one seat.
func IsFannedOut(watchers int) bool { return watchers >= watchersPerSeat }

// Write returns the estimate of a write that so many watchers hear of, on a
// level whose bound is maxWidth seats, 0 for none.
func Write(watchers, maxWidth int) seats.Work {
	if !IsFannedOut(watchers) {
		return One()
	}
	fanOut := seats.Work{
		Initial: 1,
		Final:   (watchers + watchersPerSeat - 1) / watchersPerSeat,
		Latency: notification,
	}
	return fanOut.ClampFinal(width(maxWidth))
}
