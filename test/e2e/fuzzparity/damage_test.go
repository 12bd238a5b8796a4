package fuzzparity

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// damage is a change of the bytes of an object.
type damage struct {
	name string
	// place is the position as a fraction of the length, in [0, 1).
	place float64
	at    func(body []byte, place int) []byte
}

func (d *damage) do(body []byte) []byte {
	if d == nil || len(body) == 0 {
		return body
	}
	return d.at(bytes.Clone(body), int(d.place*float64(len(body))))
}

func (d *damage) String() string {
	if d == nil {
		return "none"
	}
	return fmt.Sprintf("%s at %.4f of the bytes", d.name, d.place)
}

// newDamage returns a random damage that applies to bytes of any form.
func newDamage(g *objects.Generator) *damage {
	bit := byte(1) << g.IntN(8)
	all := []damage{
		{name: "cut off", at: func(body []byte, place int) []byte { return body[:place] }},
		{name: "one byte less", at: func(body []byte, place int) []byte { return slices.Delete(body, place, place+1) }},
		{name: "one byte twice", at: func(body []byte, place int) []byte { return slices.Insert(body, place, body[place]) }},
		{name: fmt.Sprintf("bits %08b turned", bit), at: func(body []byte, place int) []byte { body[place] ^= bit; return body }},
		inserted("a byte that is no text", "\xff"),
		inserted("a zero byte", "\x00"),
		{name: "a brace at the end", at: func(body []byte, _ int) []byte { return append(body, '}') }},
		{name: "a second document", at: func(body []byte, _ int) []byte { return slices.Concat(body, []byte("\n---\n"), body) }},
		{name: "a byte order mark", at: func(body []byte, _ int) []byte { return slices.Concat([]byte("\ufeff"), body) }},
		{name: "a field of protobuf nobody knows", at: func(body []byte, _ int) []byte { return append(body, 0x7a, 1, 'x') }},
		{name: "groups of protobuf without end", at: func(body []byte, _ int) []byte { return append(body, bytes.Repeat([]byte{0x0b}, 20_000)...) }},
		{name: "a member twice", at: func(body []byte, place int) []byte { return twice(body, place, "null") }},
		{name: "a member twice, first as a list", at: func(body []byte, place int) []byte { return twice(body, place, `["x"]`) }},
		{name: "a member in capitals", at: capital},
		member("deep lists", strings.Repeat("[", 9_000)+strings.Repeat("]", 9_000)),
		member("lists too deep", strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)),
		member("deep maps", strings.Repeat(`{"a":`, 9_000)+"1"+strings.Repeat("}", 9_000)),
		member("a long number", strings.Repeat("9", 20_000)),
		member("a number with a large exponent", "1e999999999"),
		member("half a character", `"\ud800"`),
	}
	chosen := all[g.IntN(len(all))]
	chosen.place = g.Float64()
	return &chosen
}

func inserted(name, text string) damage {
	return damage{name: name, at: func(body []byte, place int) []byte { return slices.Insert(body, place, []byte(text)...) }}
}

// member inserts a member with the given value into a JSON object.
func member(name, value string) damage {
	return damage{name: name, at: func(body []byte, place int) []byte {
		if found := nextMember(body, place); found >= 0 {
			return slices.Insert(body, found, []byte(`"x":`+value+",")...)
		}
		return body
	}}
}

// nextMember returns the position of the first member of the next JSON object, -1
// if there is none.
func nextMember(body []byte, place int) int {
	found := bytes.Index(body[place:], []byte(`{"`))
	if found < 0 {
		place, found = 0, bytes.Index(body, []byte(`{"`))
	}
	if found < 0 {
		return -1
	}
	return place + found + 1
}

func twice(body []byte, place int, value string) []byte {
	found := nextMember(body, place)
	if found < 0 {
		return body
	}
	end := bytes.IndexByte(body[found:], ':')
	if end < 0 {
		return body
	}
	return slices.Insert(body, found, []byte(string(body[found:found+end+1])+value+",")...)
}

func capital(body []byte, place int) []byte {
	if found := nextMember(body, place); found >= 0 && found+1 < len(body) {
		copy(body[found+1:], bytes.ToUpper(body[found+1:found+2]))
	}
	return body
}
