package replica

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// family is a metric in the JSON that prom2json writes, and a must-gather of OpenShift has.
type family struct {
	Name    string            `json:"name"`
	Metrics []json.RawMessage `json:"metrics"`
}

// sample is one of the metrics of a family.
type sample struct {
	Labels map[string]string `json:"labels"`
	Value  *number           `json:"value"`
	// Sum and Count are set for a histogram or a summary.
	Sum   *number `json:"sum"`
	Count *number `json:"count"`
	// Buckets are a histogram's, by their bounds.
	Buckets map[string]*number `json:"buckets"`
}

// number is a number that may be quoted.
type number float64

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(text []byte) error {
	value, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	*n = number(value)
	return err
}

// readJSON reads metrics in JSON as series of the text format.
func readJSON(in *bufio.Reader, yield func(series) bool) []string {
	decoder := json.NewDecoder(in)
	_, _ = decoder.Token() // the bracket
	for decoder.More() {
		var f family
		if err := decoder.Decode(&f); err != nil {
			return []string{fmt.Sprintf("The metrics are omitted from a malformed one on: %v.", err)}
		}
		more := true
		add := func(suffix string, labels map[string]string, value *number) {
			if more && value != nil && isWanted(f.Name+suffix) {
				more = yield(series{f.Name + suffix, labels, float64(*value)})
			}
		}
		for _, one := range f.Metrics {
			var metric sample
			if err := json.Unmarshal(one, &metric); err != nil {
				return []string{fmt.Sprintf("The metrics are omitted from a malformed one on: %v.", err)}
			}
			add("", metric.Labels, metric.Value)
			add("_sum", metric.Labels, metric.Sum)
			add("_count", metric.Labels, metric.Count)
			if !more {
				return nil
			}
			for bound, value := range metric.Buckets {
				labels := map[string]string{"le": bound}
				maps.Copy(labels, metric.Labels)
				add("_bucket", labels, value)
			}
		}
	}
	if _, err := decoder.Token(); err != nil {
		return []string{"The metrics are cut off."}
	}
	return nil
}

func isMetricsJSON(body []byte) bool {
	if len(body) == 0 || body[0] != '[' || len(body) > maxJSON {
		return false
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	_, _ = decoder.Token() // the bracket
	var first family
	return decoder.More() && decoder.Decode(&first) == nil && first.Name != "" && first.Metrics != nil
}
