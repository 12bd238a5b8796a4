package queueset

import "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"

// Reason is why a request was rejected.
type Reason = stats.Reason

// The reasons.
const (
	// QueueFull means that the queue of the request was full.
	QueueFull = stats.QueueFull
	// ConcurrencyLimit means that no seat was free on a level without queues.
	ConcurrencyLimit = stats.ConcurrencyLimit
	// TimeOut means that the request waited as long as it may.
	TimeOut = stats.TimeOut
	// Cancelled means that the client left while the request waited.
	Cancelled = stats.Cancelled
	// Reasons is the number of reasons.
	Reasons = stats.Reasons
	// Withdrawn is why a request left its queue that was not rejected: it no longer needs
	// its seats. It is counted nowhere.
	Withdrawn = stats.Withdrawn
)
