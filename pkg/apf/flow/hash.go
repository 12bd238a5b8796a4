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
	// cacheSlots is the number of flows that a HashCache holds, a power of two.
	cacheSlots = 1 << 15
	// longestCached is the length in bytes of the longest distinguisher that is
	// cached: user names may have any length.
	longestCached = 256
)

// HashCache holds the hashes of recent flows of all schemas (BenchmarkSaturated of package
// benchmarks). It is safe for concurrent use. A cached hash needs no lock and no
// allocation. A HashCache occupies at most MaxCacheBytes, however many schemas and flows
// there are. The zero HashCache is empty.
type HashCache struct {
	table atomic.Pointer[hashTable] // nil until the first flow
}

// MaxCacheBytes is the largest size of a HashCache: of each slot, a pointer, a hashEntry
// and a distinguisher.
const MaxCacheBytes = cacheSlots * (8 + 32 + longestCached)

type hashTable [cacheSlots]atomic.Pointer[hashEntry]

type hashEntry struct {
	hasher        *Hasher
	distinguisher string
	hash          Hash
}

func (e *hashEntry) is(h *Hasher, distinguisher string) bool {
	return e != nil && e.hasher == h && e.distinguisher == distinguisher
}

// Hasher computes the hashes of the flows of one schema. It is safe for concurrent use.
type Hasher struct {
	schemaName string
	unnamed    Hash // of the empty distinguisher
	seed       maphash.Seed
	cache      *HashCache
}

// NewHasher returns a Hasher for the flows of the named schema. It uses the cache
// together with other Hashers.
func NewHasher(schemaName string, cache *HashCache) *Hasher {
	return &Hasher{
		schemaName: schemaName,
		unnamed:    HashOf(schemaName, ""),
		seed:       maphash.MakeSeed(),
		cache:      cache,
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
	table := h.cache.table.Load()
	if table == nil {
		h.cache.table.CompareAndSwap(nil, new(hashTable))
		table = h.cache.table.Load()
	}
	// A flow may be in either of two neighbouring slots, so that two busy flows of one
	// slot do not evict each other with every request.
	first := h.slotOf(distinguisher)
	second := first ^ 1
	entry := table[first].Load()
	if entry.is(h, distinguisher) {
		return entry.hash
	}
	if other := table[second].Load(); other.is(h, distinguisher) {
		return other.hash
	}
	added := &hashEntry{
		hasher: h,
		// Clone: the distinguisher may be a substring of a long header.
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
	return maphash.String(h.seed, distinguisher) % cacheSlots
}
