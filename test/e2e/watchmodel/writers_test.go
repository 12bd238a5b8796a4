package watchmodel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

// object is a JSON object.
type object = map[string]any

// writer changes objects at random.
type writer struct {
	*stress
	t       *testing.T
	number  int
	random  *rand.Rand
	clients map[string]*rest.RESTClient // by version
	failed  int                         // requests without an answer
	made    int                         // numbers what is written
}

func (s *stress) newWriter(t *testing.T, number int) *writer {
	t.Helper()
	w := &writer{stress: s, t: t, number: number, random: s.random(number), clients: map[string]*rest.RESTClient{}}
	for _, version := range []string{v1, v1beta3} {
		client, err := s.clients.new(options{version: version, contentType: jsonType})
		if err != nil {
			s.failf(t, "making a client: %v", err)
		}
		w.clients[version] = client
	}
	return w
}

// run makes the writer's share of the writes, and continues until everything that
// the test requires has happened.
func (w *writer) run(ctx context.Context) {
	for done := 0; (done < writes()/writerCount || !isClosed(w.enough)) && ctx.Err() == nil; {
		if w.write(ctx) {
			done++
			w.progress.add()
		}
	}
}

func isClosed(channel <-chan struct{}) bool {
	select {
	case <-channel:
		return true
	default:
		return false
	}
}

// end makes the last write. Every watcher waits for it.
func (w *writer) end(ctx context.Context, resource string) {
	last := w.object(resource, v1, endName)
	metadata := last["metadata"].(object)
	delete(metadata, "finalizers")
	metadata["labels"] = object{"set": "a"}
	metadata["annotations"].(object)[endAnnotation] = "true"
	for !w.apply(ctx, resource, v1, endName, last) && ctx.Err() == nil {
		w.outage.wait(ctx)
	}
}

// write makes one write and reports whether it was answered.
func (w *writer) write(ctx context.Context) bool {
	resource := pick(w.random, flowSchemas, priorityLevels)
	version := pick(w.random, v1, v1beta3)
	name := fmt.Sprintf("stress-%d", w.random.IntN(8))
	request := func(verb string) *rest.Request {
		return w.clients[version].Verb(verb).Resource(resource).SetHeader("Content-Type", jsonType)
	}
	written := w.object(resource, version, name)
	switch chance := w.random.IntN(100); {
	case chance < 25:
		return w.send(ctx, request(http.MethodPost).Body(encode(written)))
	case chance < 45:
		return w.update(ctx, resource, version, written)
	case chance < 65:
		return w.send(ctx, request(http.MethodPatch).Name(name).SetHeader("Content-Type", string(types.MergePatchType)).Body(encode(w.patch())))
	case chance < 80:
		delete(written["metadata"].(object), "finalizers")
		return w.apply(ctx, resource, version, name, written)
	case chance < 97:
		return w.send(ctx, request(http.MethodDelete).Name(name))
	default:
		return w.send(ctx, request(http.MethodDelete).Param("labelSelector", "set=c"))
	}
}

// update reads an object and replaces it.
func (w *writer) update(ctx context.Context, resource, version string, written object) bool {
	name := written["metadata"].(object)["name"].(string)
	raw, err := w.clients[version].Get().Resource(resource).Name(name).SetHeader("Accept", jsonType).DoRaw(ctx)
	if err != nil {
		return w.accept(ctx, err)
	}
	var read struct {
		Metadata struct {
			ResourceVersion string
			Finalizers      []string
		}
	}
	if err := json.Unmarshal(raw, &read); err != nil {
		w.failf(w.t, "reading %s: %v", name, err)
		return false
	}
	written["metadata"].(object)["resourceVersion"] = read.Metadata.ResourceVersion
	written["metadata"].(object)["finalizers"] = read.Metadata.Finalizers
	return w.send(ctx, w.clients[version].Put().Resource(resource).Name(name).SetHeader("Content-Type", jsonType).Body(encode(written)))
}

func (w *writer) apply(ctx context.Context, resource, version, name string, written object) bool {
	return w.send(ctx, w.clients[version].Patch(types.ApplyPatchType).Resource(resource).Name(name).
		Param("fieldManager", fmt.Sprintf("stress-%d", w.number)).Param("force", "true").Body(encode(written)))
}

func (w *writer) send(ctx context.Context, request *rest.Request) bool {
	// No retries by the client library: run handles failed requests.
	return w.accept(ctx, request.MaxRetries(0).Do(ctx).Error())
}

// accept reports whether there was an answer. It fails for an answer that a write
// must not get.
func (w *writer) accept(ctx context.Context, err error) bool {
	switch code := codeOf(err); code {
	case http.StatusOK, http.StatusNotFound, http.StatusConflict:
		return true
	case 0:
		if w.failed++; w.failed > 100 {
			w.failf(w.t, "writer %d: 100 requests without an answer, at last: %v", w.number, err)
		}
		w.outage.wait(ctx)
	default:
		w.failf(w.t, "writer %d: code %d: %v", w.number, code, err)
	}
	return false
}

// object returns a complete object with random content.
func (w *writer) object(resource, version, name string) object {
	spec, kind := object{
		"priorityLevelConfiguration": object{"name": pick(w.random, "catch-all", "workload-low", "absent")},
		"matchingPrecedence":         500 + w.random.IntN(9000),
		"rules": []object{{
			"subjects":         []object{{"kind": "User", "user": object{"name": name}}},
			"nonResourceRules": []object{{"verbs": []string{"*"}, "nonResourceURLs": []string{"*"}}},
		}},
	}, "FlowSchema"
	if resource == priorityLevels {
		spec, kind = object{
			"type": "Limited",
			"limited": object{
				"nominalConcurrencyShares": 1 + w.random.IntN(20), // not zero, which v1beta3 expresses differently
				"limitResponse":            object{"type": "Reject"},
			},
		}, "PriorityLevelConfiguration"
	}
	metadata := w.patch()["metadata"].(object)
	metadata["name"] = name
	metadata["finalizers"] = []string{}
	if w.random.IntN(6) == 0 {
		metadata["finalizers"] = []string{"example.org/held"}
	}
	return object{"apiVersion": group + "/" + version, "kind": kind, "metadata": metadata, "spec": spec}
}

// patch returns a change of metadata that also removes finalizers.
func (w *writer) patch() object {
	w.made++
	padding := 50
	if w.random.IntN(3) == 0 {
		padding = 64 << 10 // fills the server's buffers for slow watchers
	}
	return object{"metadata": object{
		"labels":      object{"set": pick(w.random, "a", "b", "c")},
		"finalizers":  nil,
		"annotations": object{"write": fmt.Sprintf("%d-%d", w.number, w.made), "padding": strings.Repeat("x", padding)},
	}}
}

func pick[T any](random *rand.Rand, choices ...T) T { return choices[random.IntN(len(choices))] }

func encode(value any) []byte {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err) // not possible for maps, strings and numbers
	}
	return raw
}
