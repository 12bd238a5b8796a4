package flow

import (
	"fmt"
	"math"
)

const (
	// MaxHand is the largest hand size: 15 queues of 15 or 16 need up to 60 bits of
	// the hash, 16 of 16 need 64.
	MaxHand = 15

	maxDeck     = 1 << 26
	maxHandBits = 60
)

// Dealer deals hands of distinct queues. The zero Dealer is invalid.
type Dealer struct {
	deck, hand int
}

// NewDealer returns a Dealer of hands of handSize queues out of deckSize. Both must
// be positive, handSize at most deckSize, deckSize at most 2^26, and
// ceil(log2(deckSize) * handSize) at most 60 bits.
func NewDealer(deckSize, handSize int) (Dealer, error) {
	switch {
	case deckSize < 1 || handSize < 1:
		return Dealer{}, fmt.Errorf("deck size %d and hand size %d must be positive", deckSize, handSize)
	case handSize > deckSize:
		return Dealer{}, fmt.Errorf("hand size %d must not exceed deck size %d", handSize, deckSize)
	case deckSize > maxDeck:
		return Dealer{}, fmt.Errorf("deck size %d must not exceed %d", deckSize, maxDeck)
	}
	if bits := handBits(deckSize, handSize); bits > maxHandBits {
		return Dealer{}, fmt.Errorf("deck size %d and hand size %d need %d bits of hash; at most %d may be used", deckSize, handSize, bits, maxHandBits)
	}
	return Dealer{deck: deckSize, hand: handSize}, nil
}

func handBits(deckSize, handSize int) int {
	return int(math.Ceil(math.Log2(float64(deckSize)) * float64(handSize)))
}

// Deal returns the hand of a flow: handSize distinct numbers in [0, deckSize), in the order of
// dealing. It overwrites hand, and does not allocate if that has room.
func (d Dealer) Deal(hash Hash, hand []int) []int {
	hand = hand[:0]
	rest := uint64(hash)
	var digits [MaxHand]int
	for i := range d.hand {
		base := uint64(d.deck - i)
		quotient := rest / base
		digits[i] = int(rest - quotient*base)
		rest = quotient
	}
	// The i-th digit is a position among the cards that are left after i were dealt.
	// Undo the removals, latest first: a card that was removed at or below the
	// position moves it up by one.
	for i := range d.hand {
		card := digits[i]
		for j := i - 1; j >= 0; j-- {
			if card >= digits[j] {
				card++
			}
		}
		hand = append(hand, card)
	}
	return hand
}
