package configsync

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// digest identifies an enforced object: its name and its specification. UIDs are not part
// of it, so that servers with stores of their own can be compared.
type digest [sha256.Size]byte

// marshaler is a specification of an API object. Its encoding is deterministic.
type marshaler interface {
	Marshal() ([]byte, error)
}

func digestOf(name string, spec marshaler) digest {
	encoded, err := spec.Marshal()
	if err != nil {
		encoded = []byte(err.Error()) // of a message without required fields, which cannot fail
	}
	h := sha256.New()
	for _, part := range []string{name, string(encoded)} {
		writeDelimited(h, part)
	}
	return digest(h.Sum(nil))
}

// writeDelimited writes a part after its length, so that parts cannot be confused.
func writeDelimited(h hash.Hash, part string) {
	_, _ = io.WriteString(h, strconv.Itoa(len(part))+":"+part) // a hash returns no error
}

// Status returns which of the objects are enforced, without times. It takes time for each
// of them.
func (t *Translator) Status() engine.ConfigurationStatus {
	h := sha256.New()
	writeDigests(h, t.levels)
	writeDigests(h, t.schemas)
	exists := func(level string) bool {
		known, ok := t.levels[level]
		return ok && known.err == nil || level == rules.Exempt || level == rules.CatchAll
	}
	return engine.ConfigurationStatus{
		Hash: "sha256:" + hex.EncodeToString(h.Sum(nil)),
		Objects: map[engine.Kind]map[engine.ObjectState]int{
			engine.LevelKind: t.levels.count(func(engine.LevelConfig) bool { return false }, engine.Enforced, engine.Invalid),
			engine.SchemaKind: t.schemas.count(func(schema rules.Schema) bool { return !exists(schema.Level) },
				engine.Enforced, engine.Invalid, engine.Dangling),
		},
	}
}

// writeDigests writes the digests of the enforced objects, in order of name.
func writeDigests[O apiObject, P any](h hash.Hash, t translations[O, P]) {
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if one := t[name]; one.err == nil {
			_, _ = h.Write(one.digest[:]) // a hash returns no error
		}
	}
	writeDelimited(h, "") // the end of the kind
}

// count returns the number of objects in each of the states, zeroes included.
func (t translations[O, P]) count(dangles func(P) bool, states ...engine.ObjectState) map[engine.ObjectState]int {
	counts := map[engine.ObjectState]int{}
	for _, state := range states {
		counts[state] = 0
	}
	for _, translated := range t {
		switch {
		case translated.err != nil:
			counts[engine.Invalid]++
		case dangles(translated.plain):
			counts[engine.Dangling]++
		default:
			counts[engine.Enforced]++
		}
	}
	return counts
}
