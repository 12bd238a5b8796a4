package linearizability_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/linearizability"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/watchmodel"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/watchmodel/observe"
)

const (
	path = "/apis/flowcontrol.apiserver.k8s.io/v1/" + resource
	// tokenAnnotation is the annotation that holds the token.
	tokenAnnotation = "token"
	// timeout limits a request in the server, so that clients do not wait for an
	// etcd that is not available.
	timeout = "timeout=5s"
)

// fields is a JSON object.
type fields = map[string]any

// question is an HTTP request.
type question struct {
	method, url, contentType string
	body                     any
}

// encoded converts an input to an HTTP request.
func encoded(input linearizability.Input) question {
	metadata := fields{"name": input.Name, "annotations": fields{tokenAnnotation: strconv.FormatInt(input.Token, 10)}}
	if input.Version != 0 {
		metadata["resourceVersion"] = strconv.FormatInt(input.Version, 10)
	}
	if input.UID != "" {
		metadata["uid"] = input.UID
	}
	whole := fields{
		"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration", "metadata": metadata,
		"spec": fields{"type": "Limited", "limited": fields{"nominalConcurrencyShares": 1, "limitResponse": fields{"type": "Reject"}}},
	}
	object := path + "/" + input.Name + "?" + timeout
	switch input.Kind {
	case linearizability.Create:
		return question{http.MethodPost, path + "?fieldManager=writer&" + timeout, "application/json", whole}
	case linearizability.Update:
		return question{http.MethodPut, object + "&fieldManager=writer", "application/json", whole}
	case linearizability.Patch:
		if input.Was == 0 {
			return question{http.MethodPatch, object + "&fieldManager=writer", "application/merge-patch+json", fields{"metadata": metadata}}
		}
		const annotation = "/metadata/annotations/" + tokenAnnotation
		return question{http.MethodPatch, object + "&fieldManager=writer", "application/json-patch+json", []fields{
			{"op": "test", "path": annotation, "value": strconv.FormatInt(input.Was, 10)},
			{"op": "replace", "path": annotation, "value": strconv.FormatInt(input.Token, 10)},
		}}
	case linearizability.Apply:
		return question{http.MethodPatch, fmt.Sprintf("%s&fieldManager=%s&force=%t", object, input.Manager, input.Force), "application/apply-patch+yaml", whole}
	case linearizability.Delete:
		preconditions := fields{}
		if input.Version != 0 {
			preconditions["resourceVersion"] = metadata["resourceVersion"]
		}
		if input.UID != "" {
			preconditions["uid"] = input.UID
		}
		return question{http.MethodDelete, object, "application/json", fields{"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": preconditions}}
	default:
		return question{method: http.MethodGet, url: object}
	}
}

// ask sends a request. Code 0 means that there was no answer; sent is false if the
// request was never sent.
func (c *client) ask(ctx context.Context, replica *replica, q question) (code int, answer []byte, sent bool) {
	var body bytes.Buffer
	if q.body != nil {
		if err := json.NewEncoder(&body).Encode(q.body); err != nil {
			c.t.Errorf("%v", err)
			return 0, nil, false
		}
	}
	request, err := http.NewRequestWithContext(ctx, q.method, replica.URL+q.url, &body)
	if err != nil {
		c.t.Errorf("%v", err)
		return 0, nil, false
	}
	if q.contentType != "" {
		request.Header.Set("Content-Type", q.contentType)
	}
	response, err := replica.http.Do(request)
	if err != nil {
		var network *net.OpError
		return 0, nil, !errors.As(err, &network) || network.Op != "dial"
	}
	defer func() { _ = response.Body.Close() }()
	if answer, err = io.ReadAll(response.Body); err != nil {
		return 0, nil, true
	}
	return response.StatusCode, answer, true
}

// send executes an operation. It returns false if the request was never sent.
func (c *client) send(ctx context.Context, replica *replica, input linearizability.Input) (linearizability.Output, bool) {
	code, answer, sent := c.ask(ctx, replica, encoded(input))
	output := linearizability.Output{Result: c.result(code, answer)}
	if output.Result == linearizability.Done && input.Kind != linearizability.Delete {
		var object flowcontrolv1.PriorityLevelConfiguration
		output = c.decode(answer, &object)
	}
	return output, sent
}

// result converts a status code to a result.
func (c *client) result(code int, answer []byte) linearizability.Result {
	var status metav1.Status
	switch {
	case code == 0 || code >= http.StatusInternalServerError || code == http.StatusTooManyRequests: // 429: the server fills its cache
		return linearizability.Unknown
	case code == http.StatusOK || code == http.StatusCreated:
		return linearizability.Done
	case json.Unmarshal(answer, &status) != nil:
	case status.Reason == metav1.StatusReasonNotFound:
		return linearizability.Absent
	case status.Reason == metav1.StatusReasonAlreadyExists:
		return linearizability.Exists
	case status.Reason == metav1.StatusReasonConflict:
		return linearizability.Conflict
	case status.Reason == metav1.StatusReasonInvalid:
		return linearizability.Mismatch
	}
	c.t.Errorf("code %d: %s", code, answer)
	return linearizability.Unknown
}

// decode decodes an object.
func (c *client) decode(answer []byte, object *flowcontrolv1.PriorityLevelConfiguration) linearizability.Output {
	if err := json.Unmarshal(answer, object); err != nil {
		c.t.Errorf("%v: %s", err, answer)
	}
	return outputOf(object)
}

func outputOf(object *flowcontrolv1.PriorityLevelConfiguration) linearizability.Output {
	token, _ := strconv.ParseInt(object.Annotations[tokenAnnotation], 10, 64)
	version, _ := strconv.ParseInt(object.ResourceVersion, 10, 64)
	return linearizability.Output{Result: linearizability.Done, Token: token, Version: version, UID: string(object.UID)}
}

// listed is a list, in the form of both models.
type listed struct {
	version int64
	objects []watchmodel.Object
	outputs map[string]linearizability.Output // by name
}

// get lists at a version, "" for the most recent. It returns false if there was no
// answer.
func (c *client) get(ctx context.Context, replica *replica, version string) (listed, bool) {
	code, answer, _ := c.ask(ctx, replica, question{method: http.MethodGet, url: path + "?resourceVersion=" + version + "&" + timeout})
	if c.result(code, answer) != linearizability.Done {
		return listed{}, false
	}
	var list flowcontrolv1.PriorityLevelConfigurationList
	if err := json.Unmarshal(answer, &list); err != nil {
		c.t.Errorf("%v: %s", err, answer)
		return listed{}, false
	}
	result := listed{outputs: map[string]linearizability.Output{}}
	var err error
	if result.version, result.objects, err = observe.List(&list); err != nil {
		c.t.Errorf("%v", err)
		return listed{}, false
	}
	for i := range list.Items {
		result.outputs[list.Items[i].Name] = outputOf(&list.Items[i])
	}
	return result, true
}

// getCached reads an object not older than a version, nil if there is none. It
// returns false if there was no answer.
func (c *client) getCached(ctx context.Context, replica *replica, name string, version int64) (*watchmodel.Object, bool) {
	url := fmt.Sprintf("%s/%s?resourceVersion=%d&%s", path, name, version, timeout)
	code, answer, _ := c.ask(ctx, replica, question{method: http.MethodGet, url: url})
	switch c.result(code, answer) {
	case linearizability.Done:
		var object flowcontrolv1.PriorityLevelConfiguration
		c.decode(answer, &object)
		observed, err := observe.Object(&object)
		if err != nil {
			c.t.Errorf("%v", err)
		}
		return &observed, err == nil
	case linearizability.Absent:
		return nil, true
	default:
		return nil, false
	}
}
