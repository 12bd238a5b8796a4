package estimate

import "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"

// Estimator says what a list costs, or a watch that begins with one. It is a Formula, or Learned.
// ListCost names the estimators that this server may use.
type Estimator interface {
	// Read returns the cost of a list or a watch on a level whose bound is maxWidth seats;
	// 0 means none.
	Read(r Read, stored Stored, maxWidth int) Cost
	// Formula returns the formula, or for learned costs the formula of their prior.
	Formula() Formula
}

// Source says what serves a list.
type Source uint8

// The sources.
const (
	// ByOptions means that the formula decides by the options of the request.
	ByOptions Source = iota
	// FromCache is the watch cache. It always serves the list that a watch begins with.
	FromCache
	// FromStorage is etcd.
	FromStorage
)

// Read describes a list or a watch.
type Read struct {
	// Watch reports whether it is a watch.
	Watch bool
	// Named reports whether it reads one object, named by a field selector.
	Named bool
	// Selects reports whether there is a label or field selector.
	Selects bool
	// Source is what serves it, if the caller knows.
	Source Source
	// Type and Kind are what is listed, and how. Only learned costs depend on them.
	Type StoredType
	Kind ListKind
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
	// Bytes are the bytes that count; 0 if objects count.
	Bytes int64
	// Prior are the bytes of the formula, if the cost is learned.
	Prior int64
	// Unbounded is the estimate in seats before it is bounded by Bound.
	Unbounded int64
	Bound     int
}
