package main

import (
	"fmt"
	"net/http"
	"strings"
)

// step returns a change of the configuration. Six of them create a level and a flow schema
// of it, change both, and delete both; the schema matches the requests of half of the mice.
func step(number int) (method, path, body string) {
	const (
		level, schema = base + "/prioritylevelconfigurations", base + "/flowschemas"
		name          = "soak"
	)
	levelWith := func(shares int) string {
		return fmt.Sprintf(`{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"PriorityLevelConfiguration","metadata":{"name":%q},"spec":{"type":"Limited",`+
			`"limited":{"nominalConcurrencyShares":%d,"limitResponse":{"type":"Queue","queuing":{"queues":16,"handSize":4,"queueLengthLimit":50}}}}}`, name, shares)
	}
	schemaAt := func(precedence int) string {
		var subjects []string
		for i := range mice / 2 {
			subjects = append(subjects, fmt.Sprintf(`{"kind":"User","user":{"name":"mouse-%d"}}`, 2*i))
		}
		return fmt.Sprintf(`{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","metadata":{"name":%q},"spec":{"matchingPrecedence":%d,`+
			`"priorityLevelConfiguration":{"name":%q},"distinguisherMethod":{"type":"ByUser"},"rules":[{"subjects":[%s],`+
			`"resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],"clusterScope":true,"namespaces":["*"]}]}]}}`, name, precedence, name, strings.Join(subjects, ","))
	}
	switch number % 6 {
	case 0:
		return http.MethodPost, level, levelWith(10 + number%50)
	case 1:
		return http.MethodPost, schema, schemaAt(600 + number%100)
	case 2:
		return http.MethodPut, level + "/" + name, levelWith(60 + number%50)
	case 3:
		return http.MethodPut, schema + "/" + name, schemaAt(700 + number%100)
	case 4:
		return http.MethodDelete, schema + "/" + name, ""
	default:
		return http.MethodDelete, level + "/" + name, ""
	}
}
