package replica

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Recognize returns the endpoint that gave a response, by its content: its file name says nothing.
// It returns false for any other text, and for metrics of a process without priority levels.
func Recognize(body []byte) (Endpoint, bool) {
	body = trimStart(body)
	if columns := columnsOf(body); columns != nil {
		return endpointOf(columns)
	}
	if HasMetrics(body) && levelLabel.Match(body) {
		return EndpointMetrics, true
	}
	return "", false
}

// trimStart removes empty lines, and what kubectl says before the
// first row of a dump.
func trimStart(body []byte) []byte {
	body = bytes.TrimLeft(body, " \t\r\n")
	for rest, lines := body, 0; lines < 10; lines++ {
		if isHeader(rest) {
			return rest
		}
		_, after, more := bytes.Cut(rest, []byte("\n"))
		if !more {
			break
		}
		rest = after
	}
	return body
}

func isHeader(text []byte) bool {
	name := text[:min(len(text), len(firstColumn))]
	return strings.EqualFold(string(name), firstColumn)
}

// columnsOf returns the columns of a dump, nil if it is none. An empty JSON array has no
// columns, so it is not recognized.
func columnsOf(body []byte) []string {
	if isHeader(body) {
		header, _, _ := bytes.Cut(body, []byte("\n"))
		return newColumns(strings.TrimSpace(string(header))).names
	}
	if len(body) == 0 || body[0] != '[' || len(body) > maxJSON {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	_, _ = decoder.Token() // the bracket
	var first map[string]any
	if !decoder.More() || decoder.Decode(&first) != nil {
		return nil
	}
	var columns []string
	for name := range first {
		columns = append(columns, strings.ToLower(name))
	}
	if !slices.Contains(columns, firstColumn) {
		return nil
	}
	return columns
}

// endpointOf tells the dumps apart by columns that the others lack.
func endpointOf(columns []string) (Endpoint, bool) {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(columns, name) })
	}
	switch {
	case has("reason", "count"):
		return EndpointRejections, true
	case has("requestindexinqueue", "arrivetime", "username", "starttime", "initialseats"):
		return EndpointRequests, true
	case has("flowdistinguisher"):
		return EndpointFlows, true
	case has("activequeues", "isidle", "isquiescing", "waitingrequests", "dispatchedrequests"):
		return EndpointLevels, true
	case has("index", "pendingrequests", "seatsinuse"):
		return EndpointQueues, true
	default:
		return "", false
	}
}

// HasMetrics reports whether a text begins as a response of /metrics.
func HasMetrics(body []byte) bool {
	body = trimStart(body)
	if isMetricsJSON(body) {
		return true
	}
	for line := range bytes.Lines(body[:min(len(body), 1<<12)]) {
		if bytes.HasPrefix(line, []byte("# HELP ")) || bytes.HasPrefix(line, []byte("# TYPE ")) || bytes.HasPrefix(line, []byte(flowControl)) {
			return true
		}
	}
	return false
}

// levelLabel finds the label of a priority level. Components that only include the library have no
// series of levels.
var levelLabel = regexp.MustCompile(`(?m)^apiserver_flowcontrol_\w+\s*\{[^\n]*\bpriority_?[lL]evel\s*=|"priority_?[lL]evel"\s*:`)
