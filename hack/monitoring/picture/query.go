package picture

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/monitoring/mixin"
)

// Source is a Prometheus, and the time that is drawn.
type Source struct {
	// URL is the address of Prometheus.
	URL      string
	From, To time.Time
	// Step is the time between two points, RateInterval the value of $__rate_interval.
	Step, RateInterval time.Duration
}

// point is a value at a time, as a part of the time that is drawn, from 0 to 1.
type point struct{ at, value float64 }

// line is a series with its legend.
type line struct {
	legend string
	points []point
}

// lines returns the series of a panel that have a value, the largest first, since a picture
// has room for few legends.
func (s Source) lines(ctx context.Context, panel mixin.Panel) (all []line, err error) {
	for _, query := range panel.Queries {
		lines, err := s.query(ctx, query)
		if err != nil {
			return nil, fmt.Errorf("panel %q: %w", panel.Title, err)
		}
		all = append(all, lines...)
	}
	slices.SortStableFunc(all, func(a, b line) int { return cmp.Compare(b.largest(), a.largest()) })
	return all, nil
}

// largest returns the largest value of a line, which has one.
func (l line) largest() float64 {
	return slices.MaxFunc(l.points, func(a, b point) int { return cmp.Compare(a.value, b.value) }).value
}

func (s Source) query(ctx context.Context, query mixin.Query) ([]line, error) {
	expression := strings.NewReplacer("$job", ".*", "$instance", ".*", "$priority_level", ".*",
		"$__rate_interval", fmt.Sprintf("%ds", int(s.RateInterval.Seconds()))).Replace(query.Expression)
	values := url.Values{
		"query": {expression}, "step": {fmt.Sprint(s.Step.Seconds())},
		"start": {s.From.Format(time.RFC3339Nano)}, "end": {s.To.Format(time.RFC3339Nano)},
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/api/v1/query_range?"+values.Encode(), nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Error string
		Data  struct {
			Result []struct {
				Metric map[string]string
				Values [][2]any
			}
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, fmt.Errorf("the answer of Prometheus to %s: %w", expression, err)
	}
	if answer.Error != "" {
		return nil, fmt.Errorf("the answer of Prometheus to %s is an error: %s", expression, answer.Error)
	}
	var lines []line
	for _, result := range answer.Data.Result {
		if points := s.points(result.Values); len(points) > 0 {
			lines = append(lines, line{legend(query.Legend, result.Metric), points})
		}
	}
	return lines, nil
}

// points leaves out what is not a number.
func (s Source) points(values [][2]any) (points []point) {
	for _, pair := range values {
		at, _ := pair[0].(float64)
		text, _ := pair[1].(string)
		value, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
			continue
		}
		start := float64(s.From.UnixNano()) / 1e9
		points = append(points, point{(at - start) / s.To.Sub(s.From).Seconds(), value})
	}
	return points
}

// legend replaces each {{label}} by the value of the label, empty if there is none.
func legend(format string, labels map[string]string) string {
	return strings.TrimSpace(regexp.MustCompile(`\{\{(\w+)\}\}`).ReplaceAllStringFunc(format, func(label string) string {
		return labels[strings.Trim(label, "{}")]
	}))
}
