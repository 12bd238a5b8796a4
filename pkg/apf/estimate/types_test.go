package estimate

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

func TestMemoryIsBoundedHoweverManyTypesAndKindsThereAre(t *testing.T) {
	l := NewHistory()
	random := rand.New(rand.NewPCG(lane.Seed(t), 5))
	observe := func(resource int, now time.Duration) {
		k := ListKind{
			FromStorage: random.IntN(2) > 0, Namespaced: random.IntN(2) > 0, Whole: random.IntN(2) > 0,
			Selector: Selector(random.IntN(256)), Limit: random.Int64() >> random.IntN(64),
		}
		l.Observe(StoredType{Resource: fmt.Sprint(resource)}, k, Observation{Bytes: random.Int64()}, now)
	}
	for i := range 20_000 {
		observe(i%(2*maxTypes), time.Minute)
	}
	require.Len(t, *l.types.Load(), maxTypes)
	assert.LessOrEqual(t, len(l.Report(time.Minute)), maxTypes*kinds)
	assert.LessOrEqual(t, unsafe.Sizeof(kindHistory{}), uintptr(384))
	assert.LessOrEqual(t, unsafe.Sizeof(table{}), uintptr(2304))
	assert.LessOrEqual(t, maxTypes*(kinds*384+2304), 29*megabyte)

	observe(1_000_000, time.Minute+idle)
	assert.NotContains(t, *l.types.Load(), StoredType{Resource: "1000000"}, "no type is idle")
	observe(1_000_000, time.Minute+idle+1)
	assert.Contains(t, *l.types.Load(), StoredType{Resource: "1000000"}, "it replaces an idle one")
	assert.Len(t, *l.types.Load(), maxTypes)

	for known := range *l.types.Load() {
		l.Observe(known, ListKind{}, Observation{Bytes: 1}, 3*idle)
	}
	observe(1_000_001, 3*idle+1)
	assert.NotContains(t, *l.types.Load(), StoredType{Resource: "1000001"}, "no type is idle any more")
}
