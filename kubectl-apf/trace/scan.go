package trace

import (
	"bytes"
	"cmp"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxShared is the number of different texts, and of lists of groups, that the requests of
// a trace share; maxSharedText bounds the bytes of each.
const maxShared, maxSharedText = 1 << 16, 1 << 10

// scanner decodes lines as writers write them, without spaces and escape sequences, in a
// tenth of the time that encoding/json takes, with which a simulation by pkg/apf takes five times as long. It decides nothing: what
// it does not decode, encoding/json does, or says what is wrong with it.
type scanner struct {
	text   []byte
	at     int
	fields map[string]func(*Request) *string
	texts  map[string]string
	groups map[string][]string
}

func newScanner() scanner {
	return scanner{texts: map[string]string{}, groups: map[string][]string{}, fields: map[string]func(*Request) *string{
		"replica":       func(r *Request) *string { return &r.Replica },
		"user":          func(r *Request) *string { return &r.User },
		"verb":          func(r *Request) *string { return &r.Verb },
		"apiGroup":      func(r *Request) *string { return &r.APIGroup },
		"apiVersion":    func(r *Request) *string { return &r.APIVersion },
		"resource":      func(r *Request) *string { return &r.Resource },
		"subresource":   func(r *Request) *string { return &r.Subresource },
		"namespace":     func(r *Request) *string { return &r.Namespace },
		"name":          func(r *Request) *string { return &r.Name },
		"path":          func(r *Request) *string { return &r.Path },
		"flowSchema":    func(r *Request) *string { return &r.FlowSchema },
		"priorityLevel": func(r *Request) *string { return &r.PriorityLevel },
		"rejected":      func(r *Request) *string { return &r.Rejected },
		"client":        func(r *Request) *string { return &r.Client },
	}}
}

// request decodes a line, and reports whether it did.
func (s *scanner) request(text []byte, into *Request) bool {
	s.text, s.at = text, 0
	return s.object(func(key []byte) bool { return s.field(key, into) }) && s.at == len(text)
}

// field decodes a field of a request.
func (s *scanner) field(key []byte, into *Request) bool {
	if text := s.fields[string(key)]; text != nil {
		return s.shared(text(into))
	}
	switch string(key) {
	case "arrival":
		text, ok := s.quoted()
		return ok && into.Arrival.UnmarshalText(text) == nil
	case "groups":
		return s.list(&into.Groups)
	case "status":
		n, ok := s.number()
		into.Status = int(n)
		return ok
	case "latency":
		return s.duration(&into.Latency)
	case "execution":
		return s.duration(&into.Execution)
	case "wait":
		return s.duration(&into.Wait)
	case "seats":
		into.Seats = cmp.Or(into.Seats, &Seats{}) // a second one adds to the first
		return s.object(func(key []byte) bool { return s.seats(key, into.Seats) })
	case "list":
		into.List = cmp.Or(into.List, &ListOptions{})
		return s.object(func(key []byte) bool { return s.options(key, into.List) })
	default:
		return false
	}
}

func (s *scanner) options(key []byte, into *ListOptions) (ok bool) {
	switch string(key) {
	case "limit":
		var n uint64
		n, ok = s.number()
		into.Limit = int64(n)
	case "continue":
		into.Continue, ok = true, s.word("true")
	case "sendInitialEvents":
		into.SendInitialEvents = new(s.word("true"))
		ok = *into.SendInitialEvents || s.word("false")
	case "labelSelector":
		ok = s.shared(&into.LabelSelector)
	case "fieldSelector":
		ok = s.shared(&into.FieldSelector)
	case "resourceVersion":
		ok = s.shared(&into.ResourceVersion)
	case "resourceVersionMatch":
		ok = s.shared(&into.ResourceVersionMatch)
	}
	return ok
}

func (s *scanner) seats(key []byte, into *Seats) (ok bool) {
	switch string(key) {
	case "initial":
		into.Initial, ok = s.number()
	case "final":
		into.Final, ok = s.number()
	case "additionalLatency":
		var d *metav1.Duration
		if ok = s.duration(&d); ok {
			into.AdditionalLatency = *d
		}
	}
	return ok
}

// object decodes an object. field decodes the value of a key.
func (s *scanner) object(field func(key []byte) bool) bool {
	if !s.take('{') {
		return false
	}
	for {
		key, ok := s.quoted()
		if !ok || !s.take(':') || !field(key) {
			return false
		}
		if !s.take(',') {
			return s.take('}')
		}
	}
}

// take reads a byte, if it is the next one.
func (s *scanner) take(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

// word reads a word, if it is the next one.
func (s *scanner) word(word string) bool {
	found := bytes.HasPrefix(s.text[s.at:], []byte(word))
	if found {
		s.at += len(word)
	}
	return found
}

// quoted reads a text of ASCII without escape sequences.
func (s *scanner) quoted() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	for i := s.at; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			text := s.text[s.at:i]
			s.at = i + 1
			return text, true
		case c == '\\' || c < ' ' || c > '~':
			return nil, false
		}
	}
	return nil, false
}

// shared reads a text that requests share one copy of.
func (s *scanner) shared(into *string) bool {
	text, ok := s.quoted()
	if !ok {
		return false
	}
	known, ok := s.texts[string(text)]
	if !ok {
		known = string(text)
		if len(s.texts) < maxShared && len(text) <= maxSharedText {
			s.texts[known] = known
		}
	}
	*into = known
	return true
}

// list reads a list of texts that requests share one copy of.
func (s *scanner) list(into *[]string) bool {
	start := s.at
	raw := s.text[start : start+bytes.IndexByte(s.text[start:], ']')+1]
	if known := s.groups[string(raw)]; known != nil {
		*into, s.at = known, start+len(raw)
		return true
	}
	var texts []string
	for more := s.take('['); more; more = s.take(',') {
		var text string
		if !s.shared(&text) {
			return false
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 || !s.take(']') {
		return false
	}
	if *into = texts; s.at == start+len(raw) && len(s.groups) < maxShared && len(raw) <= maxSharedText { // a text may have the bracket
		s.groups[string(raw)] = texts
	}
	return true
}

// number reads a whole number of at most nine digits.
func (s *scanner) number() (n uint64, ok bool) {
	start := s.at
	for s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9' {
		n = 10*n + uint64(s.text[s.at]-'0')
		s.at++
	}
	digits := s.at - start
	return n, digits == 1 || digits > 1 && digits <= 9 && s.text[start] != '0'
}

func (s *scanner) duration(into **metav1.Duration) bool {
	text, ok := s.quoted()
	if !ok {
		return false
	}
	d, err := time.ParseDuration(string(text))
	*into = &metav1.Duration{Duration: d}
	return err == nil
}
