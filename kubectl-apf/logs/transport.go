package logs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

var (
	// prefixPod is the prefix of kubectl logs --prefix, prefixSyslog the one of RFC 5424, prefixHost what journald's
	// short forms have in front of a message, and label a label of Loki that names a server.
	prefixPod    = regexp.MustCompile(`\[pod/([^/\]]+)/[^\]]*\]`)
	prefixSyslog = regexp.MustCompile(`^<\d+>1 \S+ (\S+) `)
	prefixHost   = regexp.MustCompile(`(?:^| )([\w.-]+) [\w.-]+(?:\[\d+\])?: *$`)
	label        = regexp.MustCompile(`\b(?:pod|pod_name|node|node_name|instance|hostname)="([^"]+)"`)
	objectName   = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$`)
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

// maxPrefix is the bytes of a prefix; a longer one is a text of its own.
const maxPrefix = 4 << 10

// after returns what is known after a prefix: its last time, and the server that it names.
func (t transport) after(prefix []byte) transport {
	if len(prefix) > maxPrefix {
		return t
	}
	var words []string
	for word := range bytes.FieldsSeq(prefix) {
		if at := timeOf(string(word)); !at.IsZero() {
			t.Written = at
		} else if string(word) != "|" { // of docker compose
			words = append(words, string(word))
		}
	}
	for _, form := range []*regexp.Regexp{prefixPod, prefixSyslog, prefixHost, label} {
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
	for _, key := range []string{"time", "timestamp", "@timestamp"} {
		if at := timeOf(textOf(fields[key])); !at.IsZero() {
			t.Written = at
		}
	}
	if at := fromMicroseconds(textOf(fields["__REALTIME_TIMESTAMP"])); !at.IsZero() {
		t.Written = at
	}
	described := description{}
	described.add("", fields, 0)
	for _, key := range serverKeys {
		if name := described[key]; name != "" {
			t.Server = name
			break
		}
	}
	return t
}

// serverKeys are how descriptions name the API server, the most exact first.
var serverKeys = []string{"podname", "pod", "logstreamname", "logstream", "nodename", "node", "hostname", "host", "instance"} //nolint:gochecknoglobals // constant

// description is what an envelope tells of where its entry is from, by keys without separators: kubernetes.pod.name,
// pod_name and podName are podname.
type description map[string]string

const (
	// maxDescription is how deep descriptions may be in an envelope, maxName the bytes of a name in JSON.
	maxDescription, maxName = 4, 512
)

func (d description) add(parent string, fields map[string]json.RawMessage, depth int) {
	for name, raw := range fields {
		words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("._-@/", r) })
		key := strings.Join(words[max(0, len(words)-2):], "")
		isDescription := slices.Contains([]string{"kubernetes", "k8s", "labels", "stream", "resource", "attributes", "host", "node", "pod"}, key)
		var text string
		if len(raw) <= maxName {
			text = cmp.Or(textOf(raw), textOf(fieldsOf(raw)["stringValue"])) // of OTLP
		}
		switch {
		case text != "":
			d[key], d[parent+key] = text, text
		case isDescription && depth < maxDescription:
			d.add(key, fieldsOf(raw), depth+1)
		}
	}
}

// named sets the server of a request.
func (t transport) named(r *Request, err error) (*Request, error) {
	if r != nil {
		r.Replica = t.Server
	}
	return r, err
}
