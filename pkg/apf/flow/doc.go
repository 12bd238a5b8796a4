// Package flow says what a request looks like to flow control and which flow
// it belongs to.
//
// A flow is a pair (flow schema, distinguisher). It is identified by a 64 bit
// hash: the first eight bytes, least significant first, of
//
//	SHA-256(schema name, 0x00, distinguisher)
//
// which is the value that k8s.io/apiserver computes, so that a flow meets the
// same queues on both engines.
//
// # Shuffle sharding
//
// A flow may use handSize of the n queues of its level. The hand is read off
// the hash as digits of a mixed-radix number: the first digit has base n, the
// next n-1, and so on, each least significant first. The i-th digit chooses
// among the n-i queues that are still in the deck, counted in ascending order;
// every ordered hand is therefore hit by the same share of the hashes, up to
// one part in 2^64 / (n (n-1) ... (n-handSize+1)). Dealers with more than 60
// bits of hands are refused, so that this excess stays below 1/16.
//
// # Isolation
//
// How well does a hand protect? Let e elephants each fill every queue of
// their hands, and a mouse be squished if all of its queues are full. The number
// r of queues that the mouse still has for itself, at first its whole hand of h,
// is a Markov chain over the elephants: of C(n,h) possible hands, the next
// elephant's takes k more of them in
//
//	C(r, k) · C(n-r, h-k)
//
// cases. SquishProbability runs that chain down to r = 0.
package flow
