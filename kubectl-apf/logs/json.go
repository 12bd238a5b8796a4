package logs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// walk calls yield with each member of an object, or each element of an array, whose name is empty, and reports
// whether the text has all of it. It finds where values end and does not decode them, so it costs a tenth of
// encoding/json; what it yields may be no JSON. It ends early if yield returns false.
func walk(text []byte, yield func(name string, value json.RawMessage) bool) (complete bool) {
	isObject, at := bytes.HasPrefix(text, []byte("{")), 1
	if !isObject && !bytes.HasPrefix(text, []byte("[")) {
		return false
	}
	for {
		if at += spaces(text[at:]); at == len(text) {
			return false
		}
		if text[at] == '}' || text[at] == ']' {
			return true
		}
		if text[at] == ',' {
			at++
			continue
		}
		name := ""
		if isObject {
			end := valueEnd(text[at:])
			if end < 0 {
				return false
			}
			quoted := text[at : at+end]
			at += end
			at += spaces(text[at:])
			if quoted[0] != '"' || at == len(text) || text[at] != ':' {
				return false
			}
			at++
			at += spaces(text[at:])
			name = textOf(quoted)
		}
		end := valueEnd(text[at:])
		if end <= 0 {
			return false
		}
		if !yield(name, text[at:at+end]) {
			return false
		}
		at += end
	}
}

// spaces returns the number of spaces that a text begins with.
func spaces(text []byte) int { return len(text) - len(bytes.TrimLeft(text, " \t\r\n")) }

// valueEnd returns the number of bytes of the value that a text begins with; -1 if it is cut off.
func valueEnd(text []byte) int {
	b := balance{}
	switch {
	case len(text) == 0:
		return -1
	case text[0] == '"':
		b.inString = true
	case text[0] == '{', text[0] == '[':
		b.depth = 1
	default:
		return bytes.IndexAny(text, ",}] \t\r\n")
	}
	for end := 1; end < len(text); {
		end += b.scan(text[end:])
		if b.depth == 0 && !b.inString {
			return end
		}
	}
	return -1
}

// textOf returns the text of a string of JSON; "" of any other value.
func textOf(value json.RawMessage) (text string) {
	if len(value) == 0 || value[0] != '"' {
		return ""
	}
	if plain := value[1 : len(value)-1]; bytes.IndexByte(plain, '\\') < 0 {
		return string(plain)
	}
	_ = json.Unmarshal(value, &text) // an invalid string is no text
	return text
}

// maxFields is how many fields an object may have, and an array of pairs or a row.
const maxFields = 1000

// fieldsOf returns the fields of an object, or of an array of pairs of a key and a value; nil of any other value.
func fieldsOf(raw json.RawMessage) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	add := func(name string, value json.RawMessage) bool {
		fields[name] = value
		return len(fields) <= maxFields
	}
	switch {
	case bytes.HasPrefix(raw, []byte("{")):
		if !walk(raw, add) {
			return nil
		}
		return fields
	case len(raw) < 2 || raw[0] != '[':
		return nil
	}
	complete := walk(raw, func(_ string, value json.RawMessage) bool {
		if value[0] != '{' {
			return false
		}
		pair := fieldsOf(value)
		key := cmp.Or(textOf(pair["key"]), textOf(pair["field"]))
		return key != "" && pair["value"] != nil && add(key, pair["value"])
	})
	if !complete || len(fields) == 0 {
		return nil
	}
	return fields
}

// elementsOf returns the elements of an array; nil if it is cut off.
func elementsOf(raw json.RawMessage) (elements []json.RawMessage) {
	if !walk(raw, func(_ string, value json.RawMessage) bool { elements = append(elements, value); return true }) {
		return nil
	}
	return elements
}

// eventFields are the fields of an audit event that are read. The objects of its request and response, which are the
// bulk of it, are not.
var eventFields = []string{ //nolint:gochecknoglobals // constant
	"kind", "apiVersion", "auditID", "stage", "requestURI", "verb", "user", "impersonatedUser", "sourceIPs", "userAgent", "objectRef",
	"responseStatus", "requestReceivedTimestamp", "stageTimestamp", "annotations",
}

// eventIn returns an audit event with only eventFields. If the text is not JSON or has too many fields, it returns the
// beginning of the text.
func eventIn(text []byte) []byte {
	event, all := []byte("{"), 0
	if !walk(text, func(name string, value json.RawMessage) bool {
		all++
		if slices.Contains(eventFields, name) {
			event = fmt.Appendf(event, "%q:%s,", name, value)
		}
		return all <= maxFields
	}) {
		return text[:min(len(text), bufferSize)]
	}
	return append(bytes.TrimSuffix(event, []byte(",")), '}')
}
