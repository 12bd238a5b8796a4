package kubectl

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Requests are the requests that a command sends.
type Requests struct {
	// Sent are the requests in their order.
	Sent []Request
	// Complaint is what kubectl wrote if it failed; the requests end there.
	Complaint string
}

// Request is a request that a command sends.
type Request struct {
	// Verb is the verb for the API server.
	Verb string
	// Method and URI are the HTTP request's. In place of an object or a namespace that a list
	// returned, the URI has Listed or ListedNamespace.
	Method, URI string
	// User and Groups are what the command impersonates; empty without --as.
	User   string
	Groups []string
	// When says when it is sent, and how often; empty means always, and once.
	When string
}

// The conditions of requests.
const (
	notCached    = "its answer is not cached"
	exists       = "the object exists"
	missing      = "the object does not exist"
	listHasSome  = "the list is not empty"
	listIsEmpty  = "the list is empty"
	forEach      = "for each object in the list"
	forOne       = "for one object in the list"
	notGone      = "the object is not gone at once"
	moreInChunks = "again for every further "
	untilDone    = "again until it is done"
)

// rejected reports whether kubectl failed before it did anything.
func (o outcome) rejected() bool {
	return o.complaint != "" && !slices.ContainsFunc(o.sent, func(s sent) bool { return !isDiscovery(s) })
}

// merge returns the requests of both runs.
func merge(present, absent outcome) *Requests {
	m := merger{present: fold(present.sent), absent: fold(absent.sent)}
	m.merge()
	return &Requests{Sent: m.out, Complaint: present.complaint}
}

// folded is a request of a run, or the same request for each object of a list.
type folded struct {
	sent
	// original is the URI with the name in the list.
	original string
	// each and one report whether it is sent for each object of a list, or for one.
	each, one bool
	repeated  bool
}

// fold returns the requests of a run, requests for both objects of a list once, and repeated
// requests once.
func fold(run []sent) []folded {
	var out []folded
	for _, s := range run {
		f := folded{sent: s, original: stable(s.uri), one: strings.Contains(s.uri, Listed)}
		f.uri = strings.ReplaceAll(s.uri, listedToo, Listed)
		same := func(other folded) bool { return other.method == f.method && stable(other.uri) == stable(f.uri) }
		// Commands go through a list at once or in order, so either object may come first.
		other := slices.IndexFunc(out, func(other folded) bool { return same(other) && other.one && other.original != f.original })
		switch n := len(out); {
		case other >= 0:
			out[other].each, out[other].one = true, false
		case n >= 2 && same(out[n-1]) && same(out[n-2]):
			out = out[:n-1]
			out[n-2].repeated = true
		default:
			out = append(out, f)
		}
	}
	return out
}

// stable returns a URI without the parameters that differ between runs and servers.
func stable(uri string) string {
	parsed, err := url.ParseRequestURI(uri)
	if err != nil {
		return uri
	}
	query := parsed.Query()
	for _, parameter := range []string{"timeout", "timeoutSeconds", "hash"} {
		query.Del(parameter)
	}
	if query.Get("resourceVersion") == resourceVersion {
		query.Del("resourceVersion")
	}
	if terms := strings.Split(query.Get("fieldSelector"), ","); len(terms) > 1 {
		slices.Sort(terms)
		query.Set("fieldSelector", strings.Join(terms, ","))
	}
	parsed.RawQuery = query.Encode()
	return strings.ReplaceAll(parsed.String(), uid, "UID")
}

// isDiscovery reports whether kubectl asks what the server has.
func isDiscovery(s sent) bool {
	if s.info.IsResourceRequest {
		return false
	}
	root, _, _ := strings.Cut(strings.TrimPrefix(s.info.Path, "/"), "/")
	return s.method == http.MethodGet && slices.Contains([]string{"api", "apis", "openapi", "version"}, root)
}

// merger merges the requests of two runs.
type merger struct {
	present, absent []folded
	out             []Request
	// last is the last request for a resource that both runs have.
	last *folded
}

// merge keeps the order of both runs. Where they differ, requests of the first come first.
func (m *merger) merge() {
	var missed []folded
	at := 0
	for _, a := range m.absent {
		same := slices.IndexFunc(m.present[at:], func(p folded) bool { return p.method == a.method && stable(p.uri) == stable(a.uri) })
		if same < 0 {
			missed = append(missed, a)
			continue
		}
		m.onlyPresent(at, at+same)
		m.onlyAbsent(missed)
		at, missed = at+same+1, nil
		m.present[at-1].repeated = m.present[at-1].repeated || a.repeated
		m.add(&m.present[at-1], "")
		if a.info.IsResourceRequest {
			m.last = &m.present[at-1]
		}
	}
	m.onlyPresent(at, len(m.present))
	m.onlyAbsent(missed)
}

// onlyPresent adds requests that are sent if the objects exist.
func (m *merger) onlyPresent(from, to int) {
	for i := from; i < to; i++ {
		f := &m.present[i]
		switch {
		case m.last == nil && !f.info.IsResourceRequest:
			m.add(f, notCached)
		case m.deletes(f, i):
			m.add(f, notGone)
		case m.afterList():
			m.add(f, listHasSome)
		default:
			m.add(f, exists)
		}
	}
}

// onlyAbsent adds requests that are sent if the objects do not exist.
func (m *merger) onlyAbsent(missed []folded) {
	for i := range missed {
		if m.afterList() {
			m.add(&missed[i], listIsEmpty)
			continue
		}
		m.add(&missed[i], missing)
	}
}

func (m *merger) afterList() bool { return m.last != nil && m.last.info.Verb == "list" }

// deletes reports whether a request asks for an object that was deleted before.
func (m *merger) deletes(f *folded, at int) bool {
	if f.info.Verb != "list" && f.info.Verb != "watch" {
		return false
	}
	return slices.ContainsFunc(m.present[:at], func(before folded) bool {
		return before.info.Verb == "delete" && before.info.Name == f.info.Name && before.info.Resource == f.info.Resource
	})
}

// add adds a request with its condition.
func (m *merger) add(f *folded, condition string) {
	if (f.each || f.one) && condition != notGone {
		condition = "" // the next one says it
	}
	when := []string{condition}
	switch {
	case f.each:
		when = append(when, forEach)
	case f.one:
		when = append(when, forOne)
	}
	if limit := chunk(f); limit != "" {
		when = append(when, moreInChunks+limit+" objects")
	}
	if f.repeated {
		when = append(when, untilDone)
	}
	when = slices.DeleteFunc(when, func(one string) bool { return one == "" })
	m.out = append(m.out, Request{Verb: f.info.Verb, Method: f.method, URI: stable(f.uri), User: f.user, Groups: f.groups, When: strings.Join(when, ", ")})
}

// chunk returns how many objects a list returns at most; empty if it returns all. The
// watch cache, which serves lists at resource version 0, knows no limit.
func chunk(f *folded) string {
	parsed, err := url.ParseRequestURI(f.uri)
	if err != nil || f.info.Verb != "list" || parsed.Query().Get("resourceVersion") == "0" {
		return ""
	}
	return parsed.Query().Get("limit")
}
