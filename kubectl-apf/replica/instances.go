package replica

import (
	"bytes"
	"regexp"
)

// instanceLabel finds the label that Prometheus adds.
var instanceLabel = regexp.MustCompile(`[{,]\s*instance="((?:[^"\\]|\\.)*)"`)

// ByInstance divides metrics that Prometheus federates, in the text format, by the API server that gave
// them: by the label instance of series of priority levels. It returns nil if they are of one server.
func ByInstance(body []byte) map[string][]byte {
	parts, told := map[string][]byte{}, map[string]bool{}
	for line := range bytes.Lines(body) {
		found := instanceLabel.FindSubmatch(line)
		if found == nil || line[0] == '#' {
			continue
		}
		name := string(found[1])
		parts[name] = append(parts[name], line...)
		told[name] = told[name] || levelLabel.Match(line)
	}
	for name := range parts {
		if !told[name] {
			delete(parts, name)
		}
	}
	if len(parts) < 2 {
		return nil
	}
	return parts
}
