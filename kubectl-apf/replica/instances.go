package replica

import (
	"bytes"
	"maps"
	"slices"
	"strings"
)

// ownLabels are the labels that API servers write to the metrics that are read. Prometheus adds others.
var ownLabels = []string{ //nolint:gochecknoglobals // constant
	"priority_level", "priorityLevel", "flow_schema", "flowSchema", "reason", "execute", "type", "le", "bound", "phase", "request_kind",
	"group", "version", "resource", "subresource", "scope", "component", "verb", "name", "code",
}

// ByInstance divides metrics that Prometheus federates, in the text format, by the API server that gave
// them: by the label instance of series of priority levels. What several Prometheus tell of a server, or one
// in several jobs, is there once. It returns nil if no line has the label.
func ByInstance(body []byte) map[string][]byte {
	if !bytes.Contains(body, []byte("instance")) {
		return nil
	}
	type part struct{ instance, others string } // others are the other labels that Prometheus adds
	parts, told := map[part][]byte{}, map[string]bool{}
	for line := range bytes.Lines(body) {
		at := bytes.IndexByte(line, '{')
		if at < 0 || line[0] == '#' {
			continue
		}
		s, ok := parseSeries("", strings.TrimSpace(string(line[at:])))
		of := part{instance: s.labels["instance"]}
		if !ok || of.instance == "" {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(s.labels)) {
			if name != "instance" && !slices.Contains(ownLabels, name) {
				of.others += name + "=" + s.labels[name] + ","
			}
		}
		parts[of] = append(parts[of], line...)
		told[of.instance] = told[of.instance] || levelLabel.Match(line)
	}
	whole := map[string][]byte{}
	for _, of := range slices.SortedFunc(maps.Keys(parts), func(a, b part) int { return strings.Compare(a.others, b.others) }) {
		if told[of.instance] && len(parts[of]) > len(whole[of.instance]) {
			whole[of.instance] = parts[of]
		}
	}
	if len(whole) == 0 {
		return nil
	}
	return whole
}
