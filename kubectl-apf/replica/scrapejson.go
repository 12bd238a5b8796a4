package replica

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// family is a metric in the JSON that prom2json writes, and a must-gather of OpenShift has.
type family struct {
	Name    string `json:"name"`
	Metrics []struct {
		Labels map[string]string `json:"labels"`
		Value  number            `json:"value"`
		// Sum and Count are set for a histogram or a summary.
		Sum   number `json:"sum"`
		Count number `json:"count"`
		// Buckets are a histogram's, by their bounds.
		Buckets map[string]number `json:"buckets"`
	} `json:"metrics"`
}

// number is a number that may be quoted.
type number string

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(text []byte) error {
	*n = number(strings.Trim(string(text), `"`))
	return nil
}

func isMetricsJSON(body []byte) bool {
	if len(body) == 0 || body[0] != '[' {
		return false
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	_, _ = decoder.Token() // the bracket
	var first family
	return decoder.More() && decoder.Decode(&first) == nil && first.Name != "" && first.Metrics != nil
}

// metricLines returns metrics in JSON as lines of the text format.
func metricLines(body []byte) ([]byte, []string) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	_, _ = decoder.Token() // the bracket
	var out bytes.Buffer
	for decoder.More() {
		var f family
		if err := decoder.Decode(&f); err != nil {
			return out.Bytes(), []string{fmt.Sprintf("The metrics are omitted from a malformed one on: %v.", err)}
		}
		for _, metric := range f.Metrics {
			labels := labelText(metric.Labels)
			for suffix, value := range map[string]number{"": metric.Value, "_sum": metric.Sum, "_count": metric.Count} {
				if value != "" && value != "null" {
					fmt.Fprintf(&out, "%s%s%s %s\n", f.Name, suffix, labels, value)
				}
			}
			for bound, value := range metric.Buckets {
				with := maps.Clone(metric.Labels)
				if with == nil {
					with = map[string]string{}
				}
				with["le"] = bound
				fmt.Fprintf(&out, "%s_bucket%s %s\n", f.Name, labelText(with), value)
			}
		}
	}
	if _, err := decoder.Token(); err != nil {
		return out.Bytes(), []string{"The metrics are cut off."}
	}
	return out.Bytes(), nil
}

func labelText(labels map[string]string) string {
	if len(labels) == 0 {
		return ""
	}
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		pairs = append(pairs, name+`="`+escape.Replace(labels[name])+`"`)
	}
	return "{" + strings.Join(pairs, ",") + "}"
}
