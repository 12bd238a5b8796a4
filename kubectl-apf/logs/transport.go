package logs

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

var (
	// prefixPod is the prefix of kubectl logs --prefix, prefixHost what journald's short forms have in front of
	// a message, and label a label of Loki that names a server.
	prefixPod  = regexp.MustCompile(`\[pod/([^/\]]+)/[^\]]*\]`)
	prefixHost = regexp.MustCompile(`(?:^| )([\w.-]+) [\w.-]+(?:\[\d+\])?: *$`)
	label      = regexp.MustCompile(`\b(?:pod|pod_name|node|node_name|instance|hostname)="([^"]+)"`)
	objectName = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$`)
	// pathServer finds the server in the path of a file: of a pod, of a link of a container runtime, of a stream
	// that CloudWatch exported, or of a node in a must-gather.
	pathServer = regexp.MustCompile(`(?:^|/)pods/[^/_]+_([^/_]+)_[^/]+/|(?:^|/)containers/([^/_]+)_[^/_]+_[^/]+$|(?:^|/)(kube-apiserver(?:-audit)?-[0-9a-f]{16,})(?:/|$)|(?:^|/)audit_logs/[^/]+/([^/]+?)-audit[-.]`)
)

// ServerOf returns the API server that the path of a log names; "" if it names none.
func ServerOf(path string) string {
	match := pathServer.FindStringSubmatch(path)
	if match == nil {
		return ""
	}
	return strings.Join(match[1:], "") // one of them matched
}

// after returns what is known after a prefix: its last time, and the server that it names.
func (t transport) after(prefix []byte) transport {
	var words []string
	for word := range bytes.FieldsSeq(prefix) {
		if at := timeOf(string(word)); !at.IsZero() {
			t.Written = at
		} else {
			words = append(words, string(word))
		}
	}
	for _, form := range []*regexp.Regexp{prefixPod, prefixHost, label} {
		if match := form.FindSubmatch(prefix); match != nil {
			t.Server = string(match[1])
			return t
		}
	}
	// A node (oc adm node-logs), or [NAMESPACE] POD CONTAINER (stern).
	if n := len(words); n > 0 && n <= 3 && !slices.ContainsFunc(words, func(word string) bool { return !objectName.MatchString(word) }) {
		t.Server = words[max(0, n-2)]
	}
	return t
}

// within returns what is known within an envelope with such fields.
func (t transport) within(fields map[string]json.RawMessage) transport {
	text := func(key string) (value string) {
		_ = json.Unmarshal(fields[key], &value) // another type is no name
		return value
	}
	for _, key := range []string{"time", "timestamp", "@timestamp"} {
		if at := timeOf(text(key)); !at.IsZero() {
			t.Written = at
		}
	}
	if at := fromMicroseconds(text("__REALTIME_TIMESTAMP")); !at.IsZero() {
		t.Written = at
	}
	for _, key := range []string{"kubernetes", "labels", "stream"} {
		var inner map[string]json.RawMessage
		if len(fields[key]) > 0 && fields[key][0] == '{' && json.Unmarshal(fields[key], &inner) == nil {
			t.Server = nameIn(inner, t.Server)
		}
	}
	t.Server = nameIn(fields, t.Server)
	return t
}

// nameIn returns the server that fields name, otherwise the name so far.
func nameIn(fields map[string]json.RawMessage, server string) string {
	for _, key := range []string{"pod", "podName", "pod_name", "PodName", "logStreamName", "logStream", "@logStream", "_HOSTNAME", "nodeName", "node_name", "node", "hostname", "host", "instance"} {
		var name string
		if json.Unmarshal(fields[key], &name) == nil && name != "" {
			return name
		}
	}
	return server
}

// named sets the server of a request.
func (t transport) named(r *Request, err error) (*Request, error) {
	if r != nil {
		r.Replica = t.Server
	}
	return r, err
}
