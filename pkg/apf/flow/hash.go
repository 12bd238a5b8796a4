package flow

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// Hash identifies a flow, see the package comment.
type Hash uint64

// HashOf returns the hash of the flow (schemaName, distinguisher).
func HashOf(schemaName, distinguisher string) Hash {
	var stack [256]byte
	text := append(stack[:0], schemaName...)
	text = append(text, 0)
	text = append(text, distinguisher...)
	sum := sha256.Sum256(text)
	return Hash(binary.LittleEndian.Uint64(sum[:8]))
}

const (
	// hasherSlots is the number of distinguishers that a Hasher caches, a power of
	// two.
	hasherSlots = 1024
	// longestCached is the length in bytes of the longest distinguisher that is
	// cached: user names may have any length.
	longestCached = 256
)

// Hasher computes the hashes of the flows of one schema and caches recent ones
// (BenchmarkSaturated of package benchmarks). It is safe for
// concurrent use. A cached hash needs no lock and no allocation. A Hasher occupies at
// most 8 KiB plus hasherSlots entries of at most 64 + longestCached bytes.
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
	if len(distinguisher) > longestCached {
		return HashOf(h.schemaName, distinguisher)
	}
	table := h.table.Load()
	if table == nil {
		h.table.CompareAndSwap(nil, new(hashTable))
		table = h.table.Load()
	}
	// A distinguisher may be in either of two neighbouring slots, so that two busy
	// flows of one slot do not evict each other with every request.
	first := h.slotOf(distinguisher)
	second := first ^ 1
	entry := table[first].Load()
	if entry != nil && entry.distinguisher == distinguisher {
		return entry.hash
	}
	if other := table[second].Load(); other != nil && other.distinguisher == distinguisher {
		return other.hash
	}
	// Clone: the distinguisher may be a substring of a long header.
	added := &hashEntry{
		distinguisher: strings.Clone(distinguisher),
		hash:          HashOf(h.schemaName, distinguisher),
	}
	if entry != nil {
		table[second].Store(entry)
	}
	table[first].Store(added)
	return added.hash
}

func (h *Hasher) slotOf(distinguisher string) uint64 {
	return maphash.String(h.seed, distinguisher) % hasherSlots
}
