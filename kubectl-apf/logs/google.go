package logs

import (
	"encoding/json"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// googleMark is what an entry of Cloud Logging about an audited request has.
const googleMark = "google.cloud.audit.AuditLog"

// googleEntry is the part of an entry of Cloud Logging that Google Kubernetes Engine fills
// from an audit event. It has neither the groups of the user nor the end of the request.
type googleEntry struct {
	Payload struct {
		Service        string `json:"serviceName"`
		Method         string `json:"methodName"`   // io.k8s.core.v1.pods.list
		Resource       string `json:"resourceName"` // core/v1/namespaces/a/pods/p
		Authentication struct {
			Principal string `json:"principalEmail"`
		} `json:"authenticationInfo"`
		Metadata struct {
			IP    string `json:"callerIp"`
			Agent string `json:"callerSuppliedUserAgent"`
		} `json:"requestMetadata"`
		Status struct {
			Code int `json:"code"`
		} `json:"status"`
	} `json:"protoPayload"`
	Operation struct {
		ID    string `json:"id"`
		First bool   `json:"first"`
		Last  bool   `json:"last"`
	} `json:"operation"`
	Timestamp time.Time `json:"timestamp"`
}

// fromGoogle returns the audit event of an entry of Cloud Logging; false if the entry is of
// another service. An entry that begins a long request has the stage ResponseStarted.
func fromGoogle(text []byte) ([]byte, bool) {
	var e googleEntry
	if json.Unmarshal(text, &e) != nil || e.Payload.Service != "k8s.io" || e.Payload.Method == "" {
		return nil, false
	}
	p := &e.Payload
	stage := "ResponseComplete"
	if e.Operation.First && !e.Operation.Last {
		stage = "ResponseStarted"
	}
	event := map[string]any{
		"kind": "Event", "apiVersion": auditGroup + "v1", "auditID": e.Operation.ID, "stage": stage,
		"verb": p.Method[strings.LastIndexByte(p.Method, '.')+1:], "requestURI": pathOf(p.Resource),
		"user": map[string]string{"username": p.Authentication.Principal}, "userAgent": p.Metadata.Agent,
		"responseStatus": metav1.Status{Code: statusOf(p.Status.Code), Reason: reasonOf(p.Resource)}, "requestReceivedTimestamp": metav1.NewMicroTime(e.Timestamp),
	}
	if p.Metadata.IP != "" {
		event["sourceIPs"] = []string{p.Metadata.IP}
	}
	if name := objectIn(p.Resource); name != "" {
		event["objectRef"] = map[string]string{"name": name}
	}
	converted, err := json.Marshal(event)
	return converted, err == nil
}

// pathOf returns the path of a resource.
func pathOf(resource string) string {
	if rest, isCore := strings.CutPrefix(resource, "core/"); isCore {
		return "/api/" + rest
	}
	if group, rest, found := strings.Cut(resource, "/"); found && strings.HasPrefix(rest, "v") && group != "api" && group != "apis" {
		return "/apis/" + resource
	}
	return "/" + strings.TrimPrefix(resource, "/")
}

// objectIn returns the name of the object in GROUP/VERSION/[namespaces/NAMESPACE/]RESOURCE/NAME.
func objectIn(resource string) string {
	parts := strings.Split(resource, "/")
	at := 3
	if len(parts) > 4 && parts[2] == "namespaces" {
		at = 5
	}
	if len(parts) <= at {
		return ""
	}
	return parts[at]
}

// statusOf returns the HTTP status of a code of google.rpc.Code, by the mapping that its
// documentation gives. A status above these codes is one of HTTP.
func statusOf(code int) int32 {
	statuses := []int32{200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401}
	if code >= 0 && code < len(statuses) {
		return statuses[code]
	}
	return int32(min(max(code, 0), 599))
}

// reasonOf returns a reason where a status 429 is a handler's: an eviction that a disruption
// budget forbids.
func reasonOf(resource string) metav1.StatusReason {
	if strings.HasSuffix(resource, "/eviction") {
		return metav1.StatusReasonTooManyRequests
	}
	return ""
}
