package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"k8s.io/client-go/transport"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/scenario"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/trace"
)

const flowSchemas = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"

// sender sends the calls of a scenario to a server.
type sender struct {
	client *http.Client
	base   string
	// exact is the resource version of lists with a limit: etcd has it, and no watch cache
	// answers them.
	exact string
	// version is the resource version of the last list.
	version atomic.Pointer[string]
}

// send sends a call and reads its answer. A watch ends when the scenario says.
func (s *sender) send(ctx context.Context, call scenario.Call) (scenario.Answer, error) {
	path, err := s.path(&call.Request)
	if err != nil {
		return scenario.Answer{}, err
	}
	watch := call.Request.Verb == "watch"
	ask := ctx
	if watch {
		var cancel context.CancelFunc
		ask, cancel = context.WithTimeout(ctx, call.Request.Latency.Duration)
		defer cancel()
	}
	request, err := http.NewRequestWithContext(ask, http.MethodGet, s.base+path, nil)
	if err != nil {
		return scenario.Answer{}, err
	}
	request.Header.Set("User-Agent", call.Request.Client)
	request.Header.Set(transport.ImpersonateUserHeader, call.Request.User)
	request.Header[transport.ImpersonateGroupHeader] = call.Request.Groups
	response, err := s.client.Do(request)
	if watch && ask.Err() != nil && ctx.Err() == nil {
		return scenario.Answer{Status: http.StatusOK}, nil // it waited as long as it lasts
	}
	if err != nil {
		return scenario.Answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	return s.read(&call.Request, response)
}

// read reads an answer to its end.
func (s *sender) read(r *trace.Request, response *http.Response) (scenario.Answer, error) {
	answer := scenario.Answer{Status: response.StatusCode}
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After")) // 0 without one
	answer.RetryAfter = time.Duration(seconds) * time.Second
	switch {
	case response.StatusCode == http.StatusOK && r.Verb == "list" && r.List.Limit == 0:
		var list struct {
			Metadata struct {
				ResourceVersion string `json:"resourceVersion"`
			} `json:"metadata"`
		}
		if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
			return answer, fmt.Errorf("reading a list: %w", err)
		}
		s.version.Store(&list.Metadata.ResourceVersion)
	case response.StatusCode == http.StatusOK || response.StatusCode == http.StatusNotFound || response.StatusCode == http.StatusTooManyRequests:
	default:
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1024))
		return answer, fmt.Errorf("%s of %s: %s: %s", r.Verb, r.User, response.Status, text)
	}
	_, err := io.Copy(io.Discard, response.Body)
	if r.Verb == "watch" && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
		err = nil
	}
	return answer, err
}

// path returns the path and query of a call.
func (s *sender) path(r *trace.Request) (string, error) {
	switch o := r.List; {
	case r.Resource != "flowschemas":
		return "", fmt.Errorf("the scenario has a request for %s: must be for flowschemas", r.Resource)
	case r.Verb == "get":
		return flowSchemas + "/" + slowName(r.Execution.Duration), nil
	case r.Verb == "watch" && o.SendInitialEvents != nil:
		return flowSchemas + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", nil
	case r.Verb == "watch":
		version := "0"
		if last := s.version.Load(); last != nil {
			version = *last
		}
		return flowSchemas + "?watch=true&allowWatchBookmarks=true&resourceVersion=" + url.QueryEscape(version), nil
	case r.Verb == "list" && o != nil && o.Limit == 0 && o.ResourceVersion == "0":
		return flowSchemas + "?resourceVersion=0", nil
	case r.Verb == "list" && o != nil && o.Limit > 0:
		return flowSchemas + "?resourceVersionMatch=Exact&resourceVersion=" + url.QueryEscape(s.exact) +
			"&limit=" + strconv.FormatInt(slowLimit(r.Execution.Duration), 10), nil
	default:
		return "", fmt.Errorf("the scenario has a %s: must be a get, a watch, or a list with a limit or of the resource version 0", r.Verb)
	}
}
