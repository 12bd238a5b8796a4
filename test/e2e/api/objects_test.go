package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// flowSchema returns a v1 schema in JSON, without optional fields.
func flowSchema(name string) string {
	return fmt.Sprintf(`{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","metadata":{"name":%q},"spec":{"priorityLevelConfiguration":{"name":"catch-all"}}}`, name)
}

// level returns a limited v1 priority level in JSON that rejects requests beyond
// its shares.
func level(name string, shares int) string {
	return fmt.Sprintf(`{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"PriorityLevelConfiguration","metadata":{"name":%q},"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":%d,"limitResponse":{"type":"Reject"}}}}`, name, shares)
}

// having returns a JSON object with the value set at a place such as
// metadata.labels. A nil value removes the place.
func having(object, place string, value any) string {
	var root map[string]any
	if err := json.Unmarshal([]byte(object), &root); err != nil {
		panic(fmt.Sprintf("%s: %v", object, err))
	}
	steps := strings.Split(place, ".")
	at := root
	for _, key := range steps[:len(steps)-1] {
		next, ok := at[key].(map[string]any)
		if !ok {
			next = map[string]any{}
			at[key] = next
		}
		at = next
	}
	last := steps[len(steps)-1]
	at[last] = value
	if value == nil {
		delete(at, last)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // keeps <name> unescaped
	if err := encoder.Encode(root); err != nil {
		panic(err)
	}
	return strings.TrimSpace(text.String())
}
