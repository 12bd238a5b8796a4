//go:build long

package docs

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// prometheus is a client of a running Prometheus.
type prometheus struct{ url string }

// target is a scrape target.
type target struct {
	Labels    map[string]string
	ScrapeURL string
	Health    string
	LastError string
}

// targets returns the discovered targets.
func (p *prometheus) targets(ctx context.Context) ([]target, error) {
	var data struct{ ActiveTargets []target }
	return data.ActiveTargets, p.get(ctx, "/api/v1/targets?state=active", &data)
}

// names returns the names of all series.
func (p *prometheus) names(ctx context.Context) ([]string, error) {
	var names []string
	return names, p.get(ctx, "/api/v1/label/__name__/values", &names)
}

// sample is a series with its value.
type sample struct {
	labels map[string]string
	value  float64
}

// query evaluates an expression at the current time.
func (p *prometheus) query(ctx context.Context, expression string) ([]sample, error) {
	var data struct {
		Result []struct {
			Metric map[string]string
			Value  [2]any
		}
	}
	if err := p.get(ctx, "/api/v1/query?query="+url.QueryEscape(expression), &data); err != nil {
		return nil, err
	}
	var samples []sample
	for _, result := range data.Result {
		text, ok := result.Value[1].(string)
		if !ok {
			return nil, fmt.Errorf("%s: the value %v is no text", expression, result.Value)
		}
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", expression, err)
		}
		samples = append(samples, sample{result.Metric, value})
	}
	return samples, nil
}

// get decodes the data of a response.
func (p *prometheus) get(ctx context.Context, path string, into any) error {
	body, err := fetch(ctx, &rest.Config{Host: p.url}, path)
	if err != nil {
		return err
	}
	var reply struct {
		Status, Error string
		Data          json.RawMessage
	}
	if err := json.Unmarshal([]byte(body), &reply); err != nil {
		return err
	}
	if reply.Status != "success" {
		return fmt.Errorf("%s: %s", path, reply.Error)
	}
	return json.Unmarshal(reply.Data, into)
}

// fetch reads a page. A status code other than 200 is an error.
func fetch(ctx context.Context, config *rest.Config, path string) (string, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return "", err
	}
	reply, err := harness.Send(ctx, client, http.MethodGet, config.Host+path, "")
	if err == nil && reply.Code != http.StatusOK {
		err = fmt.Errorf("%s: %d: %s", path, reply.Code, reply.Body)
	}
	return reply.Body, err
}
