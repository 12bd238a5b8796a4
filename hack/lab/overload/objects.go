package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// levels are two priority levels that nobody else uses. The elephant's gets nearly all
// seats and keeps few requests waiting: with long queues all would wait for longer than
// their clients do.
const levels = `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: elephants}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 5000
    limitResponse:
      type: Queue
      queuing: {queues: 16, handSize: 2, queueLengthLimit: 25}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: mice}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 500
    limitResponse:
      type: Queue
      queuing: {queues: 16, handSize: 2, queueLengthLimit: 25}
`

func schema(group string) string {
	return fmt.Sprintf(`---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: %[1]s}
spec:
  matchingPrecedence: 700
  priorityLevelConfiguration: {name: %[1]s}
  distinguisherMethod: {type: ByUser}
  rules:
  - subjects: [{kind: Group, group: {name: %[1]s}}]
    resourceRules:
    - {verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"]}
`, group)
}

// fill stores the objects of a shortage, and the levels.
func (s shortage) fill(o *harness.Owner, server *harness.Server) {
	server.Kubectl(o).RunInput(o, levels+schema("elephants")+schema("mice"), "apply", "-f", "-")
	client, err := rest.HTTPClientFor(server.Config(o))
	o.Check(err)
	for n := range s.objects {
		body, err := json.Marshal(map[string]any{
			"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema",
			"metadata": map[string]any{
				"name": fmt.Sprintf("stored-%d", n), "annotations": map[string]string{"example.com/text": strings.Repeat("text of it ", s.bytes/11)},
			},
			"spec": map[string]any{"matchingPrecedence": 9500, "priorityLevelConfiguration": map[string]string{"name": "workload-low"}},
		})
		o.Check(err)
		reply, err := harness.Send(o.Context(), client, http.MethodPost, server.URL+collection, string(body))
		o.Check(err)
		if reply.Code != http.StatusCreated {
			o.Fatalf("creating stored-%d: %d: %s", n, reply.Code, reply.Body)
		}
	}
}
