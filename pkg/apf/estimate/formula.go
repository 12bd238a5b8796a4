package estimate

import "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"

// Watches says which watches are estimated as lists. All others take one seat.
type Watches string

// The watches that are estimated as lists.
const (
	// NoWatches: none.
	NoWatches Watches = "none"
	// StreamingLists: those with sendInitialEvents=true.
	StreamingLists Watches = "sendInitialEvents=true"
	// StreamingListsAndLegacy: including lists without a resourceVersion, or with
	// resourceVersion=0.
	StreamingListsAndLegacy Watches = "sendInitialEvents=true, or resourceVersion unset or 0"
	// InitialEvents: those with sendInitialEvents=true, and without sendInitialEvents
	// those without a resourceVersion, or with resourceVersion=0.
	InitialEvents Watches = "sendInitialEvents=true or, without sendInitialEvents, resourceVersion unset or 0"
)

// Formula computes costs from what is stored. The zero Formula is invalid; ByCount, BySize
// and ForKubernetes return valid ones.
type Formula struct {
	// BySize reports whether a list costs bytes, not objects. Then a list of one name
	// costs the bytes of one object, otherwise one seat.
	BySize bool
	// MaxList is the largest estimate of a list in seats.
	MaxList int
	// Watches are the watches that are estimated as lists.
	Watches Watches
	// ConsistentFromCache reports whether the watch cache serves lists of the most
	// recent state.
	ConsistentFromCache bool
	// LimitFromStorage reports whether etcd serves every list with a limit and a
	// resourceVersion other than 0.
	LimitFromStorage bool
}

// ByCount returns the formula of CostByCount: objects, as kube-apiserver before 1.34.
func ByCount() Formula {
	return Formula{MaxList: MaxWidth, Watches: InitialEvents, ConsistentFromCache: true}
}

// BySize returns the formula of CostBySize: bytes, as kube-apiserver since 1.34.
func BySize() Formula {
	f := ByCount()
	f.BySize, f.MaxList = true, MaxListBySize
	return f
}

// ForKubernetes returns the formula of kube-apiserver 1.minor, with the default
// feature gates and an etcd that reports the progress of watches. See the package
// comment. A release before 1.29 gets the formula of 1.29, a release after 1.37 the
// formula of 1.37.
func ForKubernetes(minor int) Formula {
	f := Formula{
		MaxList: MaxWidth, Watches: NoWatches,
		LimitFromStorage: minor <= 30, ConsistentFromCache: minor >= 31,
	}
	if minor == 32 || minor >= 34 {
		f.Watches = StreamingLists
	}
	if minor >= 34 {
		f.BySize, f.MaxList = true, MaxListBySize
	}
	if minor >= 35 {
		f.Watches = StreamingListsAndLegacy
	}
	return f
}

var _ Estimator = Formula{}

// Formula implements Estimator.
func (f Formula) Formula() Formula { return f }

// Read implements Estimator.
func (f Formula) Read(r Read, stored Stored, maxWidth int) Cost {
	return f.read(r, false, stored, maxWidth)
}

// read returns the cost. whole reports whether the bytes count without a bound also from the
// watch cache, since the response is encoded as a whole. kube-apiserver does not consider it.
func (f Formula) read(r Read, whole bool, stored Stored, maxWidth int) Cost {
	if stored.Unknown || !f.CountsStored(r) {
		return Cost{Work: One()}
	}
	c := Cost{AsList: true, Cached: r.Watch || f.cached(r), Bound: f.bound(maxWidth)}
	if f.BySize {
		c.bySize(r, whole, stored)
	} else {
		c.byObjects(r, stored)
	}
	c.Work = c.bounded()
	return c
}

// CountsStored reports whether the cost depends on what is stored. Otherwise it is one
// seat.
func (f Formula) CountsStored(r Read) bool {
	return (!r.Named || f.BySize) && (!r.Watch || f.listsFirst(r))
}

// Most returns the largest estimate of a list on a level whose bound is maxWidth seats; 0
// means none.
func (f Formula) Most(maxWidth int) seats.Work { return seats.Work{Initial: f.bound(maxWidth)} }

// OfBytes returns the work of a list that has these bytes in memory at one time, on a level whose
// bound is maxWidth seats; 0 means none.
func (f Formula) OfBytes(bytes int64, maxWidth int) seats.Work {
	c := Cost{Unbounded: ceil(bytes, bytesPerSeat), Bound: f.bound(maxWidth)}
	return c.bounded()
}

// bound returns the largest estimate of a list in seats.
func (f Formula) bound(maxWidth int) int {
	if maxWidth <= 0 {
		return f.MaxList
	}
	return min(maxWidth, f.MaxList)
}

// bounded returns the work of the unbounded estimate.
func (c *Cost) bounded() seats.Work {
	return seats.Work{Initial: int(min(max(c.Unbounded, 1), int64(c.Bound)))}
}

func (c *Cost) byObjects(r Read, stored Stored) {
	if stored.Stale {
		c.Unbounded = int64(c.Bound)
		return
	}
	c.Objects = objects(r, stored.Objects, c.Cached)
	c.Unbounded = ceil(c.Objects, objectsPerSeat)
}

// listsFirst reports whether a watch is estimated as a list.
func (f Formula) listsFirst(r Read) bool {
	streams := r.SendInitialEvents != nil && *r.SendInitialEvents
	legacy := r.ResourceVersion == "" || r.ResourceVersion == "0"
	switch f.Watches {
	case StreamingLists:
		return streams
	case StreamingListsAndLegacy:
		return streams || legacy
	case InitialEvents:
		return streams || legacy && r.SendInitialEvents == nil
	default:
		return false
	}
}

// cached reports whether the watch cache serves a list.
func (f Formula) cached(r Read) bool {
	limited := r.Limit > 0 && r.ResourceVersion != "0"
	recent := r.ResourceVersion == ""
	switch {
	case r.Source != ByOptions:
		return r.Source == FromCache
	case limited && f.LimitFromStorage:
		return false
	case r.ResourceVersionMatch == "NotOlderThan":
		return !recent || f.ConsistentFromCache
	case r.ResourceVersionMatch != "" || r.Continue != "" || limited && !recent:
		return false
	default:
		return !recent || f.ConsistentFromCache
	}
}

// ceil returns n/divisor, rounded up.
func ceil(n, divisor int64) int64 { return (n + divisor - 1) / divisor }
