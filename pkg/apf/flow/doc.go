// Package flow holds the attributes of a request, and computes the identity of its
// flow and the hand of queues of that flow.
//
// A flow is a pair (flow schema, flow distinguisher). It is identified by a 64-bit
// hash: the first eight bytes, least significant first, of
//
//	SHA-256(schema name, 0x00, distinguisher)
//
// k8s.io/apiserver computes the same hash, so a flow gets the same queues on both
// engines.
//
// # Shuffle sharding
//
// A flow may use handSize of the n queues of its level. Its hand is read from the
// hash as the digits of a mixed-radix number, least significant first: the first
// digit has base n, the next n-1, and so on. The i-th digit chooses among the n-i
// queues that are still in the deck, in ascending order. So each ordered hand gets
// the same share of the hashes, up to one part in 2^64 / (n (n-1) ... (n-handSize+1)).
// NewDealer rejects hands of more than 60 bits, so that this excess stays below 1/16.
package flow
