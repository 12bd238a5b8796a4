package logs

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// maxDepth is how many envelopes may be around an entry.
const maxDepth = 8

// object finds the entries in an object, and returns what the object is.
func (r *reader) object(text []byte, by transport, depth int) Kind {
	if bytes.HasPrefix(text, []byte(`{"kind":"Event","apiVersion":"`+auditGroup)) {
		return r.entry(KindEvent, text, by) // as API servers write it
	}
	if !mayHaveEntry(text) {
		return kindOfObject(text)
	}
	fields := fieldsOf(text) // nil if it is cut off
	kind, version := textOf(fields["kind"]), textOf(fields["apiVersion"])
	audited := strings.HasPrefix(version, auditGroup)
	switch {
	case audited && kind == "Event" || fields == nil && bytes.Contains(text, []byte(auditGroup)):
		return r.entry(KindEvent, text, by)
	case audited && kind == "EventList":
		for _, item := range elementsOf(fields["items"]) {
			r.entry(KindEvent, withKind(item, version), by)
		}
		return KindEvent
	case fields != nil && bytes.Contains(text, []byte(tableMark)):
		return r.table(text, fields, by, depth)
	case textOf(fields["msg"]) == "HTTP" && fields["verb"] != nil, fields == nil && bytes.Contains(text, []byte(`"msg":"HTTP"`)):
		return r.entry(KindRequest, text, by)
	case bytes.Contains(text, []byte(googleMark)) && fields != nil:
		if converted, is := fromGoogle(text); is {
			return r.entry(KindEvent, converted, by)
		}
		return r.envelope(fields, by, depth)
	case depth < maxDepth:
		return r.envelope(fields, by, depth)
	default:
		return KindOther
	}
}

// withKind returns an item of an EventList as an Event: the list says what its items are.
func withKind(item []byte, apiVersion string) []byte {
	rest, isObject := bytes.CutPrefix(item, []byte("{"))
	if !isObject || bytes.Contains(item, []byte(auditGroup)) {
		return item
	}
	return append([]byte(`{"kind":"Event","apiVersion":"`+apiVersion+`",`), rest...)
}

// kindOfObject returns Line for a line of klog.
func kindOfObject(text []byte) Kind {
	if fields := fieldsOf(text); textOf(fields["msg"]) != "" && fields["ts"] != nil {
		return KindLine
	}
	return KindOther
}

// envelope finds the entries in the fields of an object that carries them.
func (r *reader) envelope(fields map[string]json.RawMessage, by transport, depth int) Kind {
	by = by.within(fields)
	if of, last, divided := divides(fields); divided {
		whole, complete := r.part(of, []byte(message(fields)), last)
		if !complete {
			return KindLine
		}
		return r.find(whole, by, depth+1)
	}
	kind := KindOther
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if kind = r.value(fields[key], by, depth+1); r.found {
			return kind
		}
	}
	return kind
}

// value finds the entries in a field.
func (r *reader) value(raw json.RawMessage, by transport, depth int) Kind {
	switch raw[0] {
	case '"':
		return r.find([]byte(strings.TrimSpace(textOf(raw))), by, depth)
	case '{':
		return r.object(raw, by, depth)
	case '[':
		return r.elements(raw, by, depth)
	}
	return KindOther
}

// elements finds the entries in an array. journald writes a message that is no text as an
// array of its bytes.
func (r *reader) elements(raw json.RawMessage, by transport, depth int) Kind {
	var numbers []uint16
	if first := bytes.TrimLeft(raw[1:], " \t\r\n"); first[0] >= '0' && first[0] <= '9' && json.Unmarshal(raw, &numbers) == nil {
		octets := make([]byte, len(numbers))
		for i, n := range numbers {
			octets[i] = byte(n)
		}
		return r.find(octets, by, depth)
	}
	if depth >= maxDepth {
		return KindOther
	}
	if pairs := fieldsOf(raw); pairs != nil { // CloudWatch Insights
		return r.envelope(pairs, by, depth)
	}
	found, kind := false, KindOther
	for _, element := range elementsOf(raw) {
		r.found = false
		kind = r.value(element, by, depth+1)
		found = found || r.found
	}
	r.found = found
	return kind
}

// dockerPart is the size of the parts into which Docker's json-file divides a line.
const dockerPart = 16 << 10

// divides reports whether an envelope has a part of a line, or the last part: of is what
// the parts have in common.
func divides(fields map[string]json.RawMessage) (of string, last, divided bool) {
	stream := string(fields["stream"])
	for _, key := range []string{"logtag", "_p"} { // Fluent Bit's parsers of CRI
		if tag, found := fields[key]; found {
			return stream + string(fields["kubernetes"]) + string(fields["file"]), string(tag) != `"P"`, true
		}
	}
	if stream == "" || fields["log"] == nil || fields["time"] == nil || len(fields) > 4 {
		return "", true, false
	}
	text := message(fields)
	return stream, strings.HasSuffix(text, "\n") || len(text) < dockerPart, true // Docker
}

func message(fields map[string]json.RawMessage) string {
	for _, key := range []string{"log", "message", "MESSAGE"} {
		if text := textOf(fields[key]); text != "" {
			return text
		}
	}
	return ""
}
