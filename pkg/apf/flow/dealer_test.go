package flow

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/util/shufflesharding"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// requirePeersHand requires that a hand is the library's, and reports whether there is one.
func requirePeersHand(t *testing.T, hash uint64, deckSize, handSize int) bool {
	t.Helper()
	peer, peerErr := shufflesharding.NewDealer(deckSize, handSize)
	dealer, err := NewDealer(deckSize, handSize)
	require.Equal(t, peerErr == nil, err == nil, "peer %v, ours %v", peerErr, err)
	if err == nil {
		require.Equal(t, peer.DealIntoHand(hash, nil), dealer.Deal(Hash(hash), nil), "hash %d, %d of %d", hash, handSize, deckSize)
	}
	return err == nil
}

func FuzzDealEqualsPeer(f *testing.F) {
	f.Add(uint64(0), 128, 6)
	f.Add(uint64(math.MaxUint64), 1024, 6)
	f.Add(uint64(12345678901234567), 15, 15)
	f.Add(uint64(7), 1, 1)
	f.Add(uint64(1<<63), 16, 15)
	f.Add(uint64(3), 512, 8)
	f.Add(uint64(3), 1<<27, 2)
	f.Add(uint64(3), -1, 2)
	f.Fuzz(func(t *testing.T, hash uint64, deckSize, handSize int) { requirePeersHand(t, hash, deckSize, handSize) })
}

func TestHandsEqualPeer(t *testing.T) {
	for deckSize := 1; deckSize <= 16; deckSize++ {
		for handSize := 1; handSize <= deckSize; handSize++ {
			for i := range uint64(200) {
				requirePeersHand(t, i*0x9E3779B97F4A7C15, deckSize, handSize)
			}
		}
	}
	random := rand.New(rand.NewPCG(lane.Seed(t), 42))
	count, dealt := lane.Pick(5000, 100_000), 0
	for range count {
		deckSize := 1 + random.IntN(1<<(1+random.IntN(20)))
		if requirePeersHand(t, random.Uint64(), deckSize, 1+random.IntN(min(deckSize, MaxHand))) {
			dealt++
		}
	}
	assert.Greater(t, dealt, count/2)
}

func TestDealerRejections(t *testing.T) {
	for name, c := range map[string]struct {
		deckSize, handSize int
		message            string
	}{
		"no queue":                        {0, 1, "deck size 0 and hand size 1 must be positive"},
		"no hand":                         {8, 0, "deck size 8 and hand size 0 must be positive"},
		"a hand larger than the deck":     {8, 9, "hand size 9 must not exceed deck size 8"},
		"more queues than can be meant":   {1<<26 + 1, 1, "deck size 67108865 must not exceed 67108864"},
		"more hands than the hash can do": {512, 8, "deck size 512 and hand size 8 need 72 bits of hash; at most 60 may be used"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewDealer(c.deckSize, c.handSize)
			assert.EqualError(t, err, c.message)
		})
	}
}

func TestDealIntoAHandWithRoomDoesNotAllocate(t *testing.T) {
	dealer, err := NewDealer(128, 6)
	require.NoError(t, err)
	hand := make([]int, 0, MaxHand)
	hash := Hash(1)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		hash *= 0x9E3779B97F4A7C15
		hand = dealer.Deal(hash, hand)
	}))
	assert.Len(t, hand, 6)
}
