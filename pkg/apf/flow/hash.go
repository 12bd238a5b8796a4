package flow

import (
	"crypto/sha256"
	"encoding/binary"
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
