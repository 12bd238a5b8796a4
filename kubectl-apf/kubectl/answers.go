package kubectl

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/gorilla/websocket"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// serveResource answers a request for a resource.
func (s *server) serveResource(w http.ResponseWriter, r *http.Request, info *apirequest.RequestInfo) {
	t := s.targetOf(r, info)
	switch info.Verb {
	case "list":
		writeJSON(w, http.StatusOK, s.list(t, r))
	case "watch":
		s.serveWatch(w, r, t)
	case "create":
		s.serveCreate(w, r, t)
	case "deletecollection":
		writeJSON(w, http.StatusOK, success(t))
	default:
		s.serveObject(w, r, t)
	}
}

// targetOf returns what a request is for.
func (s *server) targetOf(r *http.Request, info *apirequest.RequestInfo) target {
	t := target{info: *info, command: r.Header.Get("Kubectl-Command")}
	t.kind, t.namespaced = s.kinds.of(schema.GroupVersionResource{Group: info.APIGroup, Version: info.APIVersion, Resource: info.Resource})
	if !t.namespaced {
		t.info.Namespace = ""
	}
	if t.command == "kubectl wait" || t.command == "kubectl rollout status" {
		_, reached := s.objects[t.path()]
		t.pending = !reached
	}
	return t
}

// serveObject answers a request for one object.
func (s *server) serveObject(w http.ResponseWriter, r *http.Request, t target) {
	applied := r.Header.Get("Content-Type") == "application/apply-patch+yaml"
	if !s.exists(t) && !applied {
		writeJSON(w, http.StatusNotFound, notFound(t))
		return
	}
	switch {
	case isStream(t.info.Subresource):
		serveStream(w, r, t.info.Subresource, s.world.end)
	case t.info.Subresource == "log", t.info.Subresource == "proxy":
		w.WriteHeader(http.StatusOK)
	case t.info.Subresource == "scale":
		writeJSON(w, http.StatusOK, scale(t))
	case t.info.Verb == "get":
		writeJSON(w, http.StatusOK, s.object(t))
	case t.info.Verb == "delete":
		s.remove(t)
		writeJSON(w, http.StatusOK, success(t))
	case t.info.Verb == "patch":
		patched := merged(s.object(t), body(r))
		s.objects[t.path()] = t.written(patched)
		writeJSON(w, http.StatusOK, patched)
	default:
		writeJSON(w, http.StatusOK, t.written(body(r)))
	}
}

// remove deletes an object. kubectl delete waits until it is gone: only a watch tells it.
func (s *server) remove(t target) {
	if t.command == "kubectl delete" {
		s.deleting[t.path()] = true
		return
	}
	s.objects[t.path()] = nil
}

// serveCreate answers a request with an object that is to be created.
func (s *server) serveCreate(w http.ResponseWriter, r *http.Request, t target) {
	switch {
	case isStream(t.info.Subresource):
		serveStream(w, r, t.info.Subresource, s.world.end)
		return
	case t.info.Subresource == "eviction":
		s.objects[t.path()] = nil
		writeJSON(w, http.StatusCreated, success(t))
		return
	}
	posted := body(r)
	if t.info.Subresource == "" {
		t.info.Name = nameOf(posted)
	}
	created := t.written(posted)
	if t.info.Subresource == "" {
		s.objects[t.path()] = created
	}
	writeJSON(w, http.StatusCreated, created)
}

// serveWatch answers a watch. If the command waits for an event, that happens, and the
// watch stays open until the command leaves; otherwise it ends at once.
func (s *server) serveWatch(w http.ResponseWriter, r *http.Request, t target) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Query().Get("sendInitialEvents") == "true" {
		s.sendInitialEvents(w, r, t)
	}
	event := "MODIFIED"
	switch {
	case s.deleting[t.path()], t.pending && s.world.awaited.deletion:
		event, s.objects[t.path()] = "DELETED", nil
	case !t.pending:
		return
	case s.world.awaited.unknown:
		s.world.end()
		return
	default:
		t.pending, t.condition = false, s.world.awaited.condition
		s.objects[t.path()] = t.object()
	}
	sendEvent(w, event, t.object())
	s.mu.Unlock()
	<-r.Context().Done()
	s.mu.Lock()
}

// sendInitialEvents sends what a list would have, and its end. kubectl asks for that instead of
// a list since 1.35.
func (s *server) sendInitialEvents(w http.ResponseWriter, r *http.Request, t target) {
	for _, item := range s.list(t, r)["items"].([]object) {
		sendEvent(w, "ADDED", item)
	}
	sendEvent(w, "BOOKMARK", object{"apiVersion": t.version(), "kind": t.kind, "metadata": object{
		"resourceVersion": resourceVersion, "annotations": object{metav1.InitialEventsAnnotationKey: "true"},
	}})
}

// sendEvent sends an event of a watch. A client that has left is noticed later.
func sendEvent(w http.ResponseWriter, event string, o object) {
	if err := json.NewEncoder(w).Encode(object{"type": event, "object": o}); err == nil {
		_ = http.NewResponseController(w).Flush()
	}
}

// exists reports whether an object exists.
func (s *server) exists(t target) bool {
	written, known := s.objects[t.path()]
	if known {
		return written != nil
	}
	return s.world.exist
}

// object returns an object that exists.
func (s *server) object(t target) object {
	if written := s.objects[t.path()]; written != nil {
		return written
	}
	return t.object()
}

// list returns a list: of the object that is selected by its name, or of two objects.
func (s *server) list(t target, r *http.Request) object {
	names := []string{Listed, listedToo}
	if selector, err := fields.ParseSelector(r.URL.Query().Get("fieldSelector")); err == nil {
		if name, selected := selector.RequiresExactMatch("metadata.name"); selected {
			names = []string{name}
		}
	}
	if t.info.Namespace == "" && t.namespaced {
		t.info.Namespace = ListedNamespace
	}
	items := []object{}
	for i, name := range names {
		t.info.Name = name
		if s.exists(t) {
			items = append(items, merged(s.object(t), t.revision(i+1)))
		}
	}
	return object{"apiVersion": t.version(), "kind": t.kind + "List", "metadata": object{"resourceVersion": resourceVersion}, "items": items}
}

// isStream reports whether a subresource is served as a stream in both directions.
func isStream(subresource string) bool {
	return subresource == "exec" || subresource == "attach" || subresource == "portforward"
}

// serveStream accepts a stream over a web socket. A command ends at once, with success.
// Forwarding of ports would not end, nor would streams of SPDY, which kubectl has before 1.31.
func serveStream(w http.ResponseWriter, r *http.Request, subresource string, end func()) {
	if subresource == "portforward" || !websocket.IsWebSocketUpgrade(r) {
		end()
		return
	}
	upgrader := websocket.Upgrader{Subprotocols: websocket.Subprotocols(r)}
	stream, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = stream.Close() }()
	const errorChannel = 3 // where the exit status of a command is written
	_ = stream.WriteMessage(websocket.BinaryMessage, append([]byte{errorChannel}, `{"metadata":{},"status":"Success"}`...))
	_ = stream.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""))
}

// body returns the object in a request; empty if it is none.
func body(r *http.Request) object {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return object{}
	}
	var out object
	if err := yaml.Unmarshal(text, &out); err != nil || out == nil {
		return object{}
	}
	return out
}

func writeJSON(w http.ResponseWriter, code int, answer any) {
	text, err := json.Marshal(answer)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(code)
	_, _ = w.Write(text)
}

// serveOther answers a request that is not for a resource.
func (s *server) serveOther(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimSuffix(r.URL.Path, "/")
	switch {
	case path == "/api" || path == "/apis":
		s.serveDiscovery(w, r, path == "/api")
	case path == "/openapi/v2":
		w.WriteHeader(http.StatusOK) // an empty document, in protobuf
	case path == "/openapi/v3":
		writeJSON(w, http.StatusOK, s.kinds.openAPI())
	case strings.HasPrefix(path, "/openapi/v3/"):
		w.Header().Set("Cache-Control", "public, max-age=3600, immutable") // its address has its hash
		writeJSON(w, http.StatusOK, s.kinds.openAPIOf(strings.TrimPrefix(path, "/openapi/v3/")))
	case path == "/version":
		writeJSON(w, http.StatusOK, object{"major": "1", "minor": "33", "gitVersion": "v1.33.0"})
	default:
		if list := s.kinds.list(strings.TrimPrefix(strings.TrimPrefix(path, "/apis/"), "/api/")); list != nil {
			writeJSON(w, http.StatusOK, list)
			return
		}
		writeJSON(w, http.StatusOK, object{})
	}
}
