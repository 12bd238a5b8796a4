package prom

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// Sample is a series with its value at a time.
type Sample struct {
	Labels map[string]string
	Value  float64
}

// Query evaluates an expression at the current time. The result must be a vector.
func (s *Server) Query(ctx context.Context, expression string) ([]Sample, error) {
	var data struct {
		Result []struct {
			Metric map[string]string
			Value  [2]any
		}
	}
	if err := s.get(ctx, "/api/v1/query?query="+url.QueryEscape(expression), &data); err != nil {
		return nil, err
	}
	var samples []Sample
	for _, result := range data.Result {
		value, err := strconv.ParseFloat(fmt.Sprint(result.Value[1]), 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", expression, err)
		}
		samples = append(samples, Sample{result.Metric, value})
	}
	return samples, nil
}

// Target is a scrape target.
type Target struct {
	Labels    map[string]string
	ScrapeURL string
	// Health is up, down or unknown.
	Health    string
	LastError string
}

// Targets returns the discovered targets.
func (s *Server) Targets(ctx context.Context) ([]Target, error) {
	var data struct{ ActiveTargets []Target }
	err := s.get(ctx, "/api/v1/targets?state=active", &data)
	return data.ActiveTargets, err
}

// Fetch reads a page. A status code other than 200 is an error.
func (s *Server) Fetch(ctx context.Context, path string) (string, error) {
	reply, err := harness.Send(ctx, http.DefaultClient, http.MethodGet, s.URL+path, "")
	if err == nil && reply.Code != http.StatusOK {
		err = fmt.Errorf("%s: %d: %s", path, reply.Code, reply.Body)
	}
	return reply.Body, err
}

// get decodes the data of an answer of the API.
func (s *Server) get(ctx context.Context, path string, into any) error {
	body, err := s.Fetch(ctx, path)
	if err != nil {
		return err
	}
	var answer struct {
		Status, Error string
		Data          json.RawMessage
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		return fmt.Errorf("%s: %w: %s", path, err, body)
	}
	if answer.Status != "success" {
		return fmt.Errorf("%s: %s", path, answer.Error)
	}
	return json.Unmarshal(answer.Data, into)
}
