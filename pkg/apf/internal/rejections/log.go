// Package rejections remembers the last rejected requests of a priority level, so that
// users can find out later why they were rejected.
//
// There is one record for each flow and reason: how many requests were rejected, since
// when, and which was the last. A Log has Capacity records. One more replaces the record
// whose last rejection is the oldest. Of each string a record keeps the first maxLength
// bytes, in memory that is used again, so a Log is at most 250 KB, and a rejection
// allocates nothing once the Log is full. A Log without rejections takes no memory.
package rejections

import (
	"container/list"
	"hash/maphash"
	"sync"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/heavyhitters"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
)

const (
	// Capacity is the number of records of a Log.
	Capacity = heavyhitters.Counters
	// maxLength is the number of bytes of a string that are kept.
	maxLength = 512
)

// Rejection is one rejected request.
type Rejection struct {
	Schema, Distinguisher string
	Reason                stats.Reason
	// Attributes of the request. The Log does not keep the pointer.
	Attributes *flow.Attributes
	// Queue is the index of the queue that was full or that the request left, -1
	// without one.
	Queue int
	// Seats is the number of seats that the request needed.
	Seats int
	// At is the time of the engine's clock.
	At time.Duration
}

// Record describes the rejections of one flow for one reason.
type Record struct {
	Schema, Distinguisher string
	Reason                stats.Reason
	// Count is the number of rejections from First to Last, times of the engine's
	// clock.
	Count       uint64
	First, Last time.Duration
	// The other fields are of the last rejection.
	User, Verb, Path string
	Queue, Seats     int
}

// Log is the memory of one priority level. It is safe for concurrent use. The zero Log is
// empty.
type Log struct {
	mu      sync.Mutex // guards what follows
	records *records   // nil without rejections
}

// records are in the order of their last rejections.
type records struct {
	seed    maphash.Seed
	order   list.List                // of *entry, the newest first
	entries map[uint64]*list.Element // by hash of flow and reason
}

// entry is a record in memory that is used again.
type entry struct {
	key           uint64 // hash of flow and reason
	schema        string
	reason        stats.Reason
	count         uint64
	first, last   time.Duration
	queue, seats  int
	distinguisher []byte
	user, path    []byte
	verb          []byte
}

// Add records a rejection.
func (l *Log) Add(r Rejection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.records == nil {
		l.records = &records{seed: maphash.MakeSeed(), entries: make(map[uint64]*list.Element, Capacity)}
	}
	l.records.add(&r)
}

func (l *records) add(r *Rejection) {
	key := (maphash.String(l.seed, r.Schema)*31^maphash.String(l.seed, r.Distinguisher))*31 ^ uint64(r.Reason)
	element, known := l.entries[key]
	if !known {
		element = l.vacant()
		l.entries[key] = element
		e := element.Value.(*entry)
		e.key, e.schema, e.reason, e.count, e.first = key, r.Schema, r.Reason, 0, r.At
		e.distinguisher = keep(e.distinguisher, r.Distinguisher)
	}
	l.order.MoveToFront(element)
	e := element.Value.(*entry)
	e.count++
	e.last, e.queue, e.seats = max(r.At, e.first), r.Queue, r.Seats
	e.user = keep(e.user, r.Attributes.User)
	e.verb = keep(e.verb, r.Attributes.Verb)
	e.path = keep(e.path, r.Attributes.Path)
}

// keep copies the start of a string to memory that is used again.
func keep(memory []byte, s string) []byte { return append(memory[:0], s[:min(len(s), maxLength)]...) }

// vacant returns an entry for another flow: a new one or, if the Log is full, the oldest.
func (l *records) vacant() *list.Element {
	if l.order.Len() < Capacity {
		return l.order.PushBack(&entry{})
	}
	oldest := l.order.Back()
	delete(l.entries, oldest.Value.(*entry).key)
	return oldest
}

// Records returns the records, the newest first.
func (l *Log) Records() []Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.records == nil {
		return nil
	}
	records := make([]Record, 0, l.records.order.Len())
	for element := l.records.order.Front(); element != nil; element = element.Next() {
		e := element.Value.(*entry)
		records = append(records, Record{
			Schema: e.schema, Distinguisher: string(e.distinguisher), Reason: e.reason,
			Count: e.count, First: e.first, Last: e.last,
			User: string(e.user), Verb: string(e.verb), Path: string(e.path),
			Queue: e.queue, Seats: e.seats,
		})
	}
	return records
}

// Flows returns the number of flows with a rejection at or after a time, for any reason;
// at most Capacity.
func (l *Log) Flows(since time.Duration) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.records == nil {
		return 0
	}
	flows := map[heavyhitters.Flow]bool{}
	for element := l.records.order.Front(); element != nil; element = element.Next() {
		e := element.Value.(*entry)
		if e.last < since {
			break
		}
		flows[heavyhitters.Flow{Schema: e.schema, Distinguisher: string(e.distinguisher)}] = true
	}
	return len(flows)
}
