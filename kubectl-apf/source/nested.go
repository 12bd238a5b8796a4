package source

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
)

// maxNested bounds the places that are named.
const maxNested = 10

// nestedIn returns the places of objects of the group in an object of another kind, such as a Template of
// OpenShift, a SelectorSyncSet of Hive, or the text of a ConfigMap.
func nestedIn(document []byte) (places []string) {
	var root any
	if json.Unmarshal(document, &root) != nil {
		return nil
	}
	var visit func(at string, value any)
	visit = func(at string, value any) {
		switch value := value.(type) {
		case string:
			if ours.MatchString(value) {
				places = append(places, at)
			}
		case []any:
			for i := range value {
				visit(fmt.Sprintf("%s[%d]", at, i), value[i])
			}
		case map[string]any:
			if version, _ := value["apiVersion"].(string); strings.HasPrefix(version, flowcontrolv1.GroupName+"/") {
				places = append(places, at)
				return
			}
			for _, key := range slices.Sorted(maps.Keys(value)) {
				next := strings.TrimPrefix(at+"."+key, ".")
				if strings.ContainsAny(key, ".[") {
					next = fmt.Sprintf("%s[%q]", at, key)
				}
				visit(next, value[key])
			}
		}
	}
	visit("", root)
	return places[:min(len(places), maxNested)]
}
