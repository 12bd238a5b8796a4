package flow

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// peerHash computes a flow's hash as the library's engine does, with a
// streaming hash.
func peerHash(schemaName, distinguisher string) Hash {
	digest := sha256.New()
	for _, part := range []string{schemaName, "\x00", distinguisher} {
		digest.Write([]byte(part))
	}
	return Hash(binary.LittleEndian.Uint64(digest.Sum(nil)))
}

func FuzzHashEqualsPeer(f *testing.F) {
	f.Add("catch-all", "")
	f.Add("service-accounts", "system:serviceaccount:kube-system:default")
	f.Add("", strings.Repeat("x", 300))
	random := rand.New(rand.NewPCG(44, 44))
	text := func() string {
		bytes := make([]byte, random.IntN(1<<random.IntN(10)))
		for i := range bytes {
			bytes[i] = byte(random.Uint32())
		}
		return string(bytes)
	}
	for range 200 {
		f.Add(text(), text())
	}
	f.Fuzz(func(t *testing.T, schemaName, distinguisher string) {
		want := peerHash(schemaName, distinguisher)
		require.Equal(t, want, HashOf(schemaName, distinguisher))
		hasher := NewHasher(schemaName, new(HashCache))
		require.Equal(t, want, hasher.Hash(distinguisher), "first time")
		require.Equal(t, want, hasher.Hash(distinguisher), "remembered")
	})
}

func TestHashOfKnownFlow(t *testing.T) {
	// printf 'global-default\0alice' | sha256sum
	assert.Equal(t, Hash(0xf4de3bd42ccdf6b7), HashOf("global-default", "alice"))
}

func TestHasherIsRightUnderEviction(t *testing.T) {
	hasher := NewHasher("s", new(HashCache))
	for round := range 2 {
		for i := range cacheSlots * 5 / 4 {
			d := fmt.Sprintf("user-%d", i)
			require.Equal(t, HashOf("s", d), hasher.Hash(d), "round %d", round)
		}
	}
}

func TestHasherAllocations(t *testing.T) {
	hasher := NewHasher("s", new(HashCache))
	hasher.Hash("alice")
	for name, distinguisher := range map[string]string{
		"a remembered distinguisher costs no allocation": "alice",
		"an empty distinguisher costs no allocation":     "",
		"a long distinguisher is hashed, not remembered": strings.Repeat("x", longestCached-20),
	} {
		t.Run(name, func(t *testing.T) {
			hasher.Hash(distinguisher)
			assert.Zero(t, testing.AllocsPerRun(100, func() { hasher.Hash(distinguisher) }))
		})
	}
}

func TestHasherRemembersNoDistinguisherBeyondTheBound(t *testing.T) {
	hasher := NewHasher("s", new(HashCache))
	long := strings.Repeat("x", longestCached+1)
	assert.Equal(t, HashOf("s", long), hasher.Hash(long))
	assert.Nil(t, hasher.cache.table.Load())
}

// Each schema had a cache of its own: 10,000 schemas with 1,000 users each took 3 GB.
func TestCacheIsBoundedForAllSchemasTogether(t *testing.T) {
	cache := new(HashCache)
	name := strings.Repeat("x", longestCached-8)
	for i := range 100 {
		hasher := NewHasher(fmt.Sprint(i), cache)
		for j := range cacheSlots / 50 {
			hasher.Hash(fmt.Sprint(name, j))
		}
	}
	size, flows := int(reflect.TypeFor[hashTable]().Size()), 0
	for i := range cache.table.Load() {
		if entry := cache.table.Load()[i].Load(); entry != nil {
			flows++
			size += int(reflect.TypeFor[hashEntry]().Size()) + len(entry.distinguisher)
		}
	}
	assert.Greater(t, flows, cacheSlots/2)
	assert.LessOrEqual(t, size, MaxCacheBytes)
}

func TestSchemasOfOneCacheDoNotShareHashes(t *testing.T) {
	cache := new(HashCache)
	a, b := NewHasher("a", cache), NewHasher("b", cache)
	b.seed = a.seed
	for range 2 {
		assert.Equal(t, HashOf("a", "alice"), a.Hash("alice"))
		assert.Equal(t, HashOf("b", "alice"), b.Hash("alice"))
	}
}

func TestHasherIsSafeForConcurrentUse(t *testing.T) {
	hasher := NewHasher("s", new(HashCache))
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 2000 {
				d := fmt.Sprint((i * (g + 1)) % 3000)
				if got, want := hasher.Hash(d), HashOf("s", d); got != want {
					t.Errorf("hash of %q is %d, want %d", d, got, want)
				}
			}
		})
	}
	wg.Wait()
}
