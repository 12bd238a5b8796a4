package logs

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// RequestLine is what a line tells about one request.
type RequestLine struct {
	// AuditID is the audit ID, up to 64 bytes of it.
	AuditID string
	// Attributes are what flow control classified. User and Groups are only set if the request
	// impersonates them.
	Attributes flow.Attributes
	URI        string
	UserAgent  string
	// SourceIP is the address of the client, without its port.
	SourceIP string
	// Completed is when the response was complete, Latency the time since the arrival.
	Completed time.Time
	Latency   time.Duration
	// Status is the HTTP status; 0 if no response was written.
	Status int
	// FlowSchema and PriorityLevel are empty if flow control did not see the request.
	FlowSchema, PriorityLevel string
	// Seats is the estimate; nil if there is none.
	Seats *Seats
	// Execution is the time of execution; nil if it is unknown.
	Execution *time.Duration
	// Waited is the time in flow control before the execution; nil if it was 100 ms or
	// less, or the request did not execute.
	Waited *time.Duration
}

// Seats is the estimate of a request.
type Seats struct {
	Initial, Final    uint64
	AdditionalLatency time.Duration
}

// Arrival returns when the request arrived.
func (l *RequestLine) Arrival() time.Time { return l.Completed.Add(-l.Latency) }

// Rejected reports whether flow control rejected the request.
func (l *RequestLine) Rejected() bool {
	return l.Status == http.StatusTooManyRequests && l.FlowSchema != "" && l.Execution == nil
}

// lineDecoder decodes lines.
type lineDecoder struct {
	infos apirequest.RequestInfoFactory
	clock Clock
}

func newLineDecoder(clock Clock) *lineDecoder {
	return &lineDecoder{apirequest.RequestInfoFactory{
		APIPrefixes:          sets.NewString("api", "apis"),
		GrouplessAPIPrefixes: sets.NewString("api"),
	}, clock}
}

// decode returns the request of a line; nil if it is another line. written is the time
// of the transport, zero if there is none.
func (d *lineDecoder) decode(text string, written time.Time) (*RequestLine, error) {
	values, completed, err := d.values(text, written)
	if values == nil || err != nil {
		return nil, err
	}
	l := &RequestLine{
		Completed: completed, AuditID: values["audit-ID"], URI: values["URI"], UserAgent: values["userAgent"],
		SourceIP: host(values["srcIP"]), FlowSchema: values["apf_fs"], PriorityLevel: values["apf_pl"],
	}
	if err := d.fillAttributes(l, values["verb"]); err != nil {
		return nil, err
	}
	l.Attributes.User, l.Attributes.Groups = impersonated(values["addedInfo"])
	return l, l.fillNumbers(values)
}

// fillAttributes sets the attributes that the URI tells.
func (d *lineDecoder) fillAttributes(l *RequestLine, verb string) error {
	at, err := url.ParseRequestURI(l.URI)
	if err != nil {
		return fmt.Errorf("has the URI %q, must be a path", l.URI)
	}
	info, err := d.infos.NewRequestInfo(&http.Request{Method: method(verb), URL: at})
	if err != nil {
		return fmt.Errorf("has the URI %q: %w", l.URI, err)
	}
	l.Attributes = flow.Attributes{
		Verb: info.Verb, IsResourceRequest: info.IsResourceRequest, APIGroup: info.APIGroup, APIVersion: info.APIVersion,
		Resource: info.Resource, Subresource: info.Subresource, Namespace: info.Namespace, Name: info.Name, Path: info.Path,
	}
	return nil
}

// method returns the HTTP method of a verb of httplog.
func method(verb string) string {
	switch verb {
	case "LIST", "WATCH", "WATCHLIST":
		return http.MethodGet
	case "APPLY":
		return http.MethodPatch
	case "CONNECT":
		return http.MethodPost // it may be another one; connections are long-running
	default:
		return verb
	}
}

// fillNumbers sets durations and numbers.
func (l *RequestLine) fillNumbers(values map[string]string) error {
	n := numbers{values: values}
	if latency := n.duration("latency"); latency != nil {
		l.Latency = *latency
	} else {
		n.fail(errors.New("has no latency"))
	}
	l.Execution, l.Waited = n.duration("apf_execution_time"), n.duration("fl_priorityandfairness")
	if initial := n.whole("apf_iseats"); initial != nil {
		l.Seats = &Seats{Initial: *initial}
		if final := n.whole("apf_fseats"); final != nil {
			l.Seats.Final = *final
		}
		if additional := n.duration("apf_additionalLatency"); additional != nil {
			l.Seats.AdditionalLatency = *additional
		}
	}
	if status := n.whole("resp"); status != nil {
		l.Status = int(*status)
	}
	return n.err
}

// impersonated returns the user of "OLD[GROUPS] is impersonating NEW[GROUPS]".
func impersonated(info string) (user string, groups []string) {
	_, name, found := strings.Cut(info, " is impersonating ")
	if !found {
		return "", nil
	}
	name, _, _ = strings.Cut(name, "\n")
	if name, list, grouped := strings.Cut(name, "["); grouped {
		list, _, _ = strings.Cut(list, "]")
		return name, strings.Split(list, ",")
	}
	return name, nil
}

// host returns an address without its port.
func host(address string) string {
	if at := strings.LastIndexByte(address, ':'); at >= 0 {
		address = address[:at]
	}
	return strings.Trim(address, "[]")
}
