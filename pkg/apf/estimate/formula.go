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
	// StreamingListsAndLegacy: also those without a resourceVersion, or with
	// resourceVersion=0.
	StreamingListsAndLegacy Watches = "sendInitialEvents=true, or resourceVersion unset or 0"
	// InitialEvents: those with sendInitialEvents=true, and without sendInitialEvents
	// those without a resourceVersion, or with resourceVersion=0.
	InitialEvents Watches = "sendInitialEvents=true or, without sendInitialEvents, resourceVersion unset or 0"
)

// Estimator is how a server estimates requests. The zero Estimator is invalid; Own
// and ForKubernetes return valid ones.
type Estimator struct {
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

// Own returns the estimator of flowcontrol-apiserver, which package filter uses. That of
// CostLearned is that of CostBySize, its prior.
func Own(cost ListCost) Estimator {
	e := Estimator{MaxList: MaxWidth, Watches: InitialEvents, ConsistentFromCache: true}
	if cost == CostBySize || cost == CostLearned {
		e.BySize, e.MaxList = true, MaxListBySize
	}
	return e
}

// ForKubernetes returns the estimator of kube-apiserver 1.minor, with the default
// feature gates and an etcd that reports the progress of watches. See the package
// comment. A release before 1.29 gets the estimator of 1.29, a release after 1.37 that
// of 1.37.
func ForKubernetes(minor int) Estimator {
	e := Estimator{
		MaxList: MaxWidth, Watches: NoWatches,
		LimitFromStorage: minor <= 30, ConsistentFromCache: minor >= 31,
	}
	if minor == 32 || minor >= 34 {
		e.Watches = StreamingLists
	}
	if minor >= 34 {
		e.BySize, e.MaxList = true, MaxListBySize
	}
	if minor >= 35 {
		e.Watches = StreamingListsAndLegacy
	}
	return e
}

// Read describes a list or a watch.
type Read struct {
	// Watch reports whether it is a watch.
	Watch bool
	// Named reports whether it reads one object, named by a field selector.
	Named bool
	// Selects reports whether there is a label or field selector.
	Selects bool
	// Whole reports whether the bytes count without a bound also from the watch cache,
	// since the response is encoded as a whole. kube-apiserver does not consider it.
	Whole bool
	// Limit, ResourceVersion, ResourceVersionMatch, Continue and SendInitialEvents are
	// the options of the request.
	Limit                int64
	ResourceVersion      string
	ResourceVersionMatch string
	Continue             string
	SendInitialEvents    *bool
}

// Stored is what a server knows about the stored objects of a type.
type Stored struct {
	// Objects is the number of objects in all namespaces.
	Objects int64
	// Size is the average size of an object in bytes; 0 if the server does not know
	// it.
	Size int64
	// Unknown reports whether this server does not store the type: another server
	// does, or the type does not exist.
	Unknown bool
	// Stale reports whether the numbers are older than three minutes, because the storage
	// does not respond. Then a list costs the most by objects, and by size as much as one
	// of 1,000,000,000 objects of 1,500,000 bytes.
	Stale bool
}

// Cost is an estimate and how it was computed.
type Cost struct {
	Work seats.Work
	// AsList reports whether the request was estimated as a list. Otherwise it takes
	// one seat, and the fields below are zero.
	AsList bool
	// Cached reports whether the watch cache serves it, otherwise etcd.
	Cached bool
	// Objects is the number of objects that count.
	Objects int64
	// Bytes are the bytes that count; 0 without BySize.
	Bytes int64
	// Unbounded is the estimate in seats before it is bounded by Bound.
	Unbounded int64
	Bound     int
}

// Read returns the cost of a list or a watch on a level whose bound is maxWidth seats;
// 0 means none.
func (e Estimator) Read(r Read, stored Stored, maxWidth int) Cost {
	return e.ReadFrom(r, e.cached(r), stored, maxWidth)
}

// ReadFrom is Read for a caller that knows whether the watch cache serves a list. It
// always serves the list that a watch begins with.
func (e Estimator) ReadFrom(r Read, cached bool, stored Stored, maxWidth int) Cost {
	if stored.Unknown || !e.CountsStored(r) {
		return Cost{Work: One()}
	}
	c := Cost{AsList: true, Cached: r.Watch || cached, Bound: e.bound(maxWidth)}
	if e.BySize {
		c.bySize(r, stored)
	} else {
		c.byObjects(r, stored)
	}
	c.Work = seats.Work{Initial: int(min(max(c.Unbounded, 1), int64(c.Bound)))}
	return c
}

// CountsStored reports whether the cost depends on what is stored. Otherwise it is one
// seat.
func (e Estimator) CountsStored(r Read) bool {
	return (!r.Named || e.BySize) && (!r.Watch || e.listsFirst(r))
}

// Most returns the largest estimate of a list on a level whose bound is maxWidth seats; 0
// means none.
func (e Estimator) Most(maxWidth int) seats.Work { return seats.Work{Initial: e.bound(maxWidth)} }

// OfBytes returns the work of a list that has so many bytes in memory at one time, on a
// level whose bound is maxWidth seats; 0 means none.
func (e Estimator) OfBytes(bytes int64, maxWidth int) seats.Work {
	return seats.Work{Initial: int(min(max(ceil(bytes, bytesPerSeat), 1), int64(e.bound(maxWidth))))}
}

// bound returns the largest estimate of a list in seats.
func (e Estimator) bound(maxWidth int) int {
	if maxWidth <= 0 {
		return e.MaxList
	}
	return min(maxWidth, e.MaxList)
}

func (c *Cost) byObjects(r Read, stored Stored) {
	if stored.Stale {
		c.Unbounded = int64(c.Bound)
		return
	}
	c.Objects = List{Stored: stored.Objects, Limit: r.Limit, Selects: r.Selects, Cached: c.Cached}.Objects()
	c.Unbounded = ceil(c.Objects, objectsPerSeat)
}

// listsFirst reports whether a watch is estimated as a list.
func (e Estimator) listsFirst(r Read) bool {
	streams := r.SendInitialEvents != nil && *r.SendInitialEvents
	legacy := r.ResourceVersion == "" || r.ResourceVersion == "0"
	switch e.Watches {
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
func (e Estimator) cached(r Read) bool {
	limited := r.Limit > 0 && r.ResourceVersion != "0"
	recent := r.ResourceVersion == ""
	switch {
	case limited && e.LimitFromStorage:
		return false
	case r.ResourceVersionMatch == "NotOlderThan":
		return !recent || e.ConsistentFromCache
	case r.ResourceVersionMatch != "" || r.Continue != "" || limited && !recent:
		return false
	default:
		return !recent || e.ConsistentFromCache
	}
}

// ceil returns n/divisor, rounded up.
func ceil(n, divisor int64) int64 { return (n + divisor - 1) / divisor }
