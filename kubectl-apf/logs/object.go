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

// form is what tells the kind of an object. Verb only matters if it is there.
type form struct {
	Kind       string            `json:"kind"`
	APIVersion string            `json:"apiVersion"`
	Items      []json.RawMessage `json:"items"`
	Message    string            `json:"msg"`
	Verb       json.RawMessage   `json:"verb"`
	Time       json.RawMessage   `json:"ts"`
}

// object finds the entries in an object, and returns what the object is.
func (r *reader) object(text []byte, by transport, depth int) Kind {
	if bytes.HasPrefix(text, []byte(`{"kind":"Event","apiVersion":"`+auditGroup)) {
		return r.entry(KindEvent, text, by) // as API servers write it
	}
	if !mayHaveEntry(text) {
		return kindOfObject(text)
	}
	var f form
	err := json.Unmarshal(text, &f)
	audited := strings.HasPrefix(f.APIVersion, auditGroup)
	switch {
	case audited && f.Kind == "Event" || err != nil && !json.Valid(text) && bytes.Contains(text, []byte(auditGroup)):
		return r.entry(KindEvent, text, by)
	case audited && f.Kind == "EventList":
		for _, item := range f.Items {
			r.entry(KindEvent, withKind(item, f.APIVersion), by)
		}
		return KindEvent
	case err == nil && bytes.Contains(text, []byte(tableMark)):
		return r.table(text, by, depth)
	case f.Message == "HTTP" && f.Verb != nil, err != nil && bytes.Contains(text, []byte(`"msg":"HTTP"`)):
		return r.entry(KindRequest, text, by)
	case bytes.Contains(text, []byte(googleMark)) && err == nil:
		if converted, is := fromGoogle(text); is {
			return r.entry(KindEvent, converted, by)
		}
		return r.envelope(text, by, depth)
	case depth < maxDepth:
		return r.envelope(text, by, depth)
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
	var f form
	if json.Unmarshal(text, &f) == nil && f.Message != "" && f.Time != nil {
		return KindLine
	}
	return KindOther
}

// envelope finds the entries in the fields of an object that carries them.
func (r *reader) envelope(text []byte, by transport, depth int) Kind {
	fields := fieldsOf(text)
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
		var text string
		if json.Unmarshal(raw, &text) == nil {
			return r.find([]byte(strings.TrimSpace(text)), by, depth)
		}
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
	if json.Unmarshal(raw, &numbers) == nil {
		octets := make([]byte, len(numbers))
		for i, n := range numbers {
			octets[i] = byte(n)
		}
		return r.find(octets, by, depth)
	}
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil || depth >= maxDepth {
		return KindOther
	}
	if fieldsOf(raw) != nil { // CloudWatch Insights
		return r.envelope(raw, by, depth)
	}
	found, kind := false, KindOther
	for _, element := range elements {
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
		var text string
		if json.Unmarshal(fields[key], &text) == nil && text != "" {
			return text
		}
	}
	return ""
}
