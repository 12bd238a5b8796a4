package logs

import (
	"bytes"
	"encoding/csv"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// What entries have, so that nothing else must be searched.
const (
	auditGroup = "audit.k8s.io/"
	requestTag = `] "HTTP" `
)

var (
	klogHeader   = regexp.MustCompile(`[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ `)
	criPrefix    = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\S+) (stdout|stderr) ([PF])(?::\S+)? `)
	journalField = regexp.MustCompile(`^_{0,2}[A-Z][A-Z0-9_]*=`)
)

// mayHaveEntry reports whether a text may have an event or a request line, or a part of
// one, or a message of journald that is no text. It saves the search in all others.
func mayHaveEntry(text []byte) bool {
	for _, mark := range []string{auditGroup, googleMark, tableMark, "HTTP", `"stream"`, `"logtag"`, `"_p"`, `"MESSAGE":[`, `"MESSAGE" : [`} {
		if bytes.Contains(text, []byte(mark)) {
			return true
		}
	}
	return false
}

// line finds the entry in a line of text, and returns what the line is.
func (r *reader) line(text []byte) Kind {
	if rest, found := bytes.CutPrefix(text, []byte("__REALTIME_TIMESTAMP=")); found {
		r.journal = transport{Written: fromMicroseconds(string(rest))}
		return KindLine
	}
	if rest, found := bytes.CutPrefix(text, []byte("_HOSTNAME=")); found {
		r.journal.Server = string(rest)
		return KindLine
	}
	if rest, found := bytes.CutPrefix(text, []byte("MESSAGE=")); found {
		return r.find(rest, r.journal, 0)
	}
	if journalField.Match(text) {
		return KindLine
	}
	if r.columns != nil || bytes.Contains(text, []byte(tableKey)) && bytes.IndexByte(text, ',') > 0 {
		if kind, isRow := r.tableRow(text); isRow {
			return kind
		}
	}
	if prefix := criPrefix.FindSubmatch(text); prefix != nil {
		whole, complete := r.part(string(prefix[2]), text[len(prefix[0]):], prefix[3][0] == 'F')
		if !complete {
			return KindLine
		}
		return r.find(whole, transport{Written: timeOf(string(prefix[1]))}, 0)
	}
	return r.find(text, transport{}, 0)
}

// maxPartial is the number of bytes from where on no part is kept.
const maxPartial = 4 * MaxEntry

// part adds a part of an entry, and returns the entry once it is complete. of names what
// the parts belong to.
func (r *reader) part(of string, text []byte, last bool) (whole []byte, complete bool) {
	before, begun := r.parts[of]
	if begun {
		r.partial -= len(before)
	}
	switch {
	case !last && len(before)+len(text) <= MaxEntry && r.partial <= maxPartial:
		r.parts[of] = append(before, text...)
		r.partial += len(r.parts[of])
		r.found = true
		return nil, false
	case begun:
		delete(r.parts, of)
		return append(before, text...), true
	default:
		return text, true
	}
}

// flush yields the entries whose last part is missing.
func (r *reader) flush() error {
	for of, text := range r.parts {
		delete(r.parts, of)
		r.find(text, transport{}, 0)
	}
	return r.err
}

// find finds the entry in a text with any prefix, and returns what the text is.
func (r *reader) find(text []byte, by transport, depth int) Kind {
	if !mayHaveEntry(text) {
		return kindOfText(text)
	}
	if head, _, found := bytes.Cut(text, []byte(requestTag)); found {
		start := 0
		if headers := klogHeader.FindAllIndex(head, -1); headers != nil {
			start = headers[len(headers)-1][0]
		}
		return r.entry(KindRequest, bytes.TrimSpace(text[start:]), by.after(text[:start]))
	}
	if bytes.Contains(text, []byte(`""`)) {
		if kind, isRow := r.csv(text, by, depth); isRow {
			return kind
		}
	}
	start := objectStart(text)
	if klogHeader.Match(text[:min(max(start, 0), maxPrefix)]) {
		return KindLine // it may quote an event
	}
	for objects := 0; start >= 0 && objects < maxObjects; objects++ {
		object := text[start:]
		if end := valueEnd(object); end > 0 {
			object = object[:end]
		}
		if kind := r.object(object, by.after(text[:start]), depth); r.found {
			return kind
		}
		next := objectStart(text[start+len(object):])
		if next < 0 {
			break
		}
		start += len(object) + next
	}
	return kindOfText(text)
}

// maxObjects is the number of objects of a line that are searched.
const maxObjects = 8

// objectStart returns where a brace and a quotation mark begin an object; -1 if nowhere.
func objectStart(text []byte) int {
	brace := -1
	for at, c := range text {
		switch c {
		case '{':
			brace = at
		case ' ', '\t', '\r', '\n':
		case '"':
			if brace >= 0 {
				return brace
			}
		default:
			brace = -1
		}
	}
	return -1
}

// csv finds an entry in a row of an export as CSV, where quotation marks are doubled. It reports
// whether the text is a row.
func (r *reader) csv(text []byte, by transport, depth int) (kind Kind, isRow bool) {
	row, err := csv.NewReader(bytes.NewReader(text)).Read()
	if err != nil || len(row) < 2 || len(row) > maxFields {
		return KindOther, false
	}
	for _, column := range row {
		if strings.HasPrefix(column, "kube-apiserver-") {
			by.Server = column // a stream
		}
	}
	for _, column := range row {
		kind = max(kind, r.find([]byte(column), by.after([]byte(row[0])), depth+1))
		if r.found {
			break
		}
	}
	return kind, true
}

func kindOfText(text []byte) Kind {
	if klogHeader.Match(text[:min(len(text), maxPrefix)]) {
		return KindLine
	}
	return KindOther
}

// timeOf returns a time of RFC 3339; zero if the text is none.
func timeOf(text string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, text)
	return at
}

// fromMicroseconds returns the time that journald writes; zero if the text is none.
func fromMicroseconds(text string) time.Time {
	micro, err := strconv.ParseInt(text, 10, 64)
	if err != nil || micro <= 0 {
		return time.Time{}
	}
	return time.UnixMicro(micro).UTC()
}
