package logs

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/uri"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// requestOfLine returns the request of a line of httplog; nil if it is another line. written is the
// time of the transport, zero if there is none. FlowSchema is empty if flow control did not see the
// request. The user is only set if the request impersonates one.
func requestOfLine(text string, written time.Time, clock Clock) (*Request, error) {
	values, completed, err := clock.valuesOf(text, written)
	if values == nil || err != nil {
		return nil, err
	}
	a, query, err := uri.Parse(values["verb"], values["URI"])
	if err != nil {
		return nil, err
	}
	r := &Request{ID: values["audit-ID"], URI: values["URI"], Completed: completed, Zoned: !strings.HasPrefix(text, "{")}
	r.setAttributes(&a, query)
	r.User, r.Groups = impersonated(values["addedInfo"])
	r.Client, r.FlowSchema, r.PriorityLevel = values["userAgent"], values["apf_fs"], values["apf_pl"]
	return r, r.setFigures(values)
}

// setFigures sets the status, the times and the seats.
func (r *Request) setFigures(values map[string]string) error {
	n := numbers{values: values}
	r.setStatus(int(n.whole("resp")))
	r.Latency, r.Execution = n.duration("latency"), n.duration("apf_execution_time")
	waited := n.duration("fl_priorityandfairness") // if it is more than 100 ms
	if _, told := values["apf_iseats"]; told {
		r.Seats = &trace.Seats{Initial: n.whole("apf_iseats"), Final: n.whole("apf_fseats")}
		if additional := n.duration("apf_additionalLatency"); additional != nil {
			r.Seats.AdditionalLatency = *additional
		}
	}
	if r.Latency == nil && n.err == nil {
		n.err = errors.New("has no latency")
	}
	if n.err != nil {
		return n.err
	}
	r.Arrival = r.Completed.Add(-r.Latency.Duration)
	executed := r.Execution != nil && r.Verb != "watch" // a watch's ends when its initial events are sent
	switch {
	case r.Status == http.StatusTooManyRequests && r.FlowSchema != "" && r.Execution == nil:
		r.Rejected, r.Wait = trace.UnknownReason, r.Latency
	case r.PriorityLevel == rules.Exempt:
		r.Wait = seconds(0)
		if executed {
			r.Around = new(max(0, r.Latency.Duration-r.Execution.Duration))
		}
	case waited != nil:
		r.Wait = waited
	case executed:
		r.Wait = seconds(max(0, r.Latency.Duration-r.Execution.Duration))
	}
	return nil
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

// numbers reads the numbers of a line, and keeps the first error.
type numbers struct {
	values map[string]string
	err    error
}

// duration returns the value of a key; nil if there is none.
func (n *numbers) duration(key string) *metav1.Duration {
	text, told := n.values[key]
	if !told {
		return nil
	}
	d, err := time.ParseDuration(text)
	if (err != nil || d < 0 || d > trace.MaxSpan) && n.err == nil {
		n.err = fmt.Errorf("has %s=%q, must be a duration from 0 to %s, such as 1.5s", key, text, trace.MaxSpan)
	}
	return seconds(d)
}

// whole returns the value of a key; 0 if there is none.
func (n *numbers) whole(key string) uint64 {
	text, told := n.values[key]
	if !told {
		return 0
	}
	value, err := strconv.ParseUint(text, 10, 32)
	if err != nil && n.err == nil {
		n.err = fmt.Errorf("has %s=%q, must be a whole number", key, text)
	}
	return value
}
