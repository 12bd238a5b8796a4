package chaos

import (
	"fmt"
	"net/http"
	"strconv"
)

const (
	// TokenAnnotation is the annotation that holds the token.
	TokenAnnotation = "token"

	group = "flowcontrol.apiserver.k8s.io/"
	// path has the version v1.
	path = "/apis/" + group + "v1/" + Levels
	// timeout limits a request in the server, so that clients do not wait for an
	// etcd that is not available.
	timeout = "timeout=5s"
)

// fields is a JSON object.
type fields = map[string]any

// request is an HTTP request.
type request struct {
	method, url, contentType string
	body                     any
}

// encoded converts an input to an HTTP request.
func encoded(input Input, version string) request {
	path := "/apis/" + group + version + "/" + Levels
	metadata := fields{"name": input.Name, "annotations": fields{TokenAnnotation: strconv.FormatInt(input.Token, 10)}}
	if input.Version != 0 {
		metadata["resourceVersion"] = strconv.FormatInt(input.Version, 10)
	}
	if input.UID != "" {
		metadata["uid"] = input.UID
	}
	whole := fields{
		"apiVersion": group + version, "kind": "PriorityLevelConfiguration", "metadata": metadata,
		"spec": fields{"type": "Limited", "limited": fields{"nominalConcurrencyShares": 1, "limitResponse": fields{"type": "Reject"}}},
	}
	object := path + "/" + input.Name + "?" + timeout
	switch input.Verb {
	case Create:
		return request{http.MethodPost, path + "?fieldManager=writer&" + timeout, "application/json", whole}
	case Update:
		return request{http.MethodPut, object + "&fieldManager=writer", "application/json", whole}
	case Patch:
		return patch(object, input, metadata)
	case Apply:
		return request{http.MethodPatch, fmt.Sprintf("%s&fieldManager=%s&force=%t", object, input.Manager, input.Force), "application/apply-patch+yaml", whole}
	case Delete:
		preconditions := fields{}
		if input.Version != 0 {
			preconditions["resourceVersion"] = metadata["resourceVersion"]
		}
		if input.UID != "" {
			preconditions["uid"] = input.UID
		}
		return request{http.MethodDelete, object, "application/json", fields{"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": preconditions}}
	default:
		return request{method: http.MethodGet, url: object}
	}
}

// patch encodes a merge patch, or a JSON patch if the input requires a token.
func patch(object string, input Input, metadata fields) request {
	if input.Was == 0 {
		return request{http.MethodPatch, object + "&fieldManager=writer", "application/merge-patch+json", fields{"metadata": metadata}}
	}
	const annotation = "/metadata/annotations/" + TokenAnnotation
	return request{http.MethodPatch, object + "&fieldManager=writer", "application/json-patch+json", []fields{
		{"op": "test", "path": annotation, "value": strconv.FormatInt(input.Was, 10)},
		{"op": "replace", "path": annotation, "value": strconv.FormatInt(input.Token, 10)},
	}}
}
