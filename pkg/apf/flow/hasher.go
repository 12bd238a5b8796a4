package flow

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

const (
	// hasherSlots bounds the distinguishers that a Hasher remembers.
	// It must be a power of two.
	hasherSlots = 1024
	// longestRemembered bounds the length of a remembered distinguisher in
	// bytes: user names may be of any length, and memory may not.
	longestRemembered = 256
)

// Hasher computes the hashes of the flows of one schema and remembers recent
// ones. It is safe for concurrent use; a remembered hash costs neither a lock
// nor an allocation. It occupies at most 8 KiB plus hasherSlots entries of at
// most 64 + longestRemembered bytes.
type Hasher struct {
	schemaName string
	unnamed    Hash // of the empty distinguisher
	seed       maphash.Seed
	table      atomic.Pointer[hashTable] // nil until the first distinguisher
}

type hashTable [hasherSlots]atomic.Pointer[hashEntry]

type hashEntry struct {
	distinguisher string
	hash          Hash
}

// NewHasher returns a Hasher for the flows of the named schema.
func NewHasher(schemaName string) *Hasher {
	return &Hasher{
		schemaName: schemaName,
		unnamed:    HashOf(schemaName, ""),
		seed:       maphash.MakeSeed(),
	}
}

// Hash returns HashOf(schema name, distinguisher).
func (h *Hasher) Hash(distinguisher string) Hash {
	if distinguisher == "" {
		return h.unnamed
	}
	if len(distinguisher) > longestRemembered {
		return HashOf(h.schemaName, distinguisher)
	}
	table := h.table.Load()
	if table == nil {
		h.table.CompareAndSwap(nil, new(hashTable))
		table = h.table.Load()
	}
	// A distinguisher may stay in either of two neighbouring slots, so two
	// busy flows that share a slot do not evict each other at every request.
	first := h.slotOf(distinguisher)
	second := first ^ 1
	older := table[first].Load()
	if older != nil && older.distinguisher == distinguisher {
		return older.hash
	}
	if entry := table[second].Load(); entry != nil && entry.distinguisher == distinguisher {
		return entry.hash
	}
	// Clone: the distinguisher may be a small part of a long header.
	entry := &hashEntry{
		distinguisher: strings.Clone(distinguisher),
		hash:          HashOf(h.schemaName, distinguisher),
	}
	if older != nil {
		table[second].Store(older)
	}
	table[first].Store(entry)
	return entry.hash
}

func (h *Hasher) slotOf(distinguisher string) uint64 {
	return maphash.String(h.seed, distinguisher) % hasherSlots
}
