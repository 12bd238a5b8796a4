package chaos

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/histories"
)

// Client sends operations on PriorityLevelConfigurations to a server, and converts its answers to the models.
type Client struct {
	// URL has no path.
	URL  string
	HTTP *http.Client
	// Version is the API version of operations, v1 if empty.
	Version string
}

// ask sends a request.
func (s Client) ask(ctx context.Context, r request) Reply {
	var body bytes.Buffer
	if r.body != nil {
		if err := json.NewEncoder(&body).Encode(r.body); err != nil {
			return Reply{Err: err}
		}
	}
	sent, err := http.NewRequestWithContext(ctx, r.method, s.URL+r.url, &body)
	if err != nil {
		return Reply{Err: err}
	}
	if r.contentType != "" {
		sent.Header.Set("Content-Type", r.contentType)
	}
	response, err := s.HTTP.Do(sent)
	if err != nil {
		return Reply{Err: err}
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return Reply{Err: err}
	}
	return Reply{Code: response.StatusCode, Body: content}
}

// Answer is what an operation returned.
type Answer struct {
	Reply
	Output
	// Object is the object in the answer, nil if it has none.
	Object *histories.Object
}

// Operate executes an operation. The error is about an answer that no server may
// give.
func (s Client) Operate(ctx context.Context, input Input) (Answer, error) {
	return s.object(ctx, encoded(input, cmp.Or(s.Version, "v1")))
}

// GetCached reads an object from the server's cache, not older than a version.
func (s Client) GetCached(ctx context.Context, name string, version int64) (Answer, error) {
	return s.object(ctx, request{method: http.MethodGet, url: fmt.Sprintf("%s/%s?resourceVersion=%d&%s", path, name, version, timeout)})
}

// object sends a request whose answer is an object.
func (s Client) object(ctx context.Context, r request) (Answer, error) {
	answer := Answer{Reply: s.ask(ctx, r)}
	var err error
	if answer.Result, err = answer.Outcome(); err != nil || answer.Result != Done || r.method == http.MethodDelete {
		return answer, err
	}
	var object flowcontrolv1.PriorityLevelConfiguration
	if err := json.Unmarshal(answer.Body, &object); err != nil {
		return answer, fmt.Errorf("%w: %s", err, answer.Body)
	}
	answer.Output = OutputOf(&object)
	observed, err := histories.ObjectOf(&object)
	answer.Object = &observed
	return answer, err
}

// OutputOf converts an object to the model.
func OutputOf(object *flowcontrolv1.PriorityLevelConfiguration) Output {
	token, _ := strconv.ParseInt(object.Annotations[TokenAnnotation], 10, 64)
	version, _ := strconv.ParseInt(object.ResourceVersion, 10, 64)
	return Output{Result: Done, Token: token, Version: version, UID: string(object.UID)}
}

// Listed is a list, in the form of both models.
type Listed struct {
	Reply
	// Result is Done or Unknown. The other fields are set if it is Done.
	Result  Result
	Version int64
	Objects []histories.Object
	Outputs map[string]Output // by name
}

// List lists at a version, "" for the most recent.
func (s Client) List(ctx context.Context, version string) (Listed, error) {
	listed := Listed{Reply: s.ask(ctx, request{method: http.MethodGet, url: path + "?resourceVersion=" + version + "&" + timeout})}
	var err error
	if listed.Result, err = listed.Outcome(); err != nil || listed.Result != Done {
		return listed, err
	}
	var list flowcontrolv1.PriorityLevelConfigurationList
	if err := json.Unmarshal(listed.Body, &list); err != nil {
		return listed, fmt.Errorf("%w: %s", err, listed.Body)
	}
	listed.Outputs = map[string]Output{}
	for i := range list.Items {
		listed.Outputs[list.Items[i].Name] = OutputOf(&list.Items[i])
	}
	listed.Version, listed.Objects, err = histories.ListOf(&list)
	return listed, err
}
