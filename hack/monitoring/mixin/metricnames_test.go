package mixin

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// metricNames returns the names of the metric families in an expression of PromQL, without
// the suffixes of histograms and without recorded series.
func metricNames(expression string) (names []string) {
	for _, other := range []*regexp.Regexp{
		regexp.MustCompile(`"[^"]*"`),
		regexp.MustCompile(`\{[^}]*\}`),
		regexp.MustCompile(`\[[^\]]*\]`),
		regexp.MustCompile(`\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)`),
	} {
		expression = other.ReplaceAllString(expression, " ")
	}
	for _, found := range regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*\s*\(?`).FindAllString(expression, -1) {
		name := strings.TrimSpace(found)
		if strings.HasSuffix(name, "(") || strings.Contains(name, ":") || slices.Contains([]string{"and", "or", "unless", "bool"}, name) {
			continue
		}
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			// A family of gauges or counters may end so too, as apiserver_admission_webhook_fail_open_count.
			if !strings.HasPrefix(name, "apiserver_admission_webhook_rejection") && !strings.HasPrefix(name, "apiserver_admission_webhook_fail_open") {
				name = strings.TrimSuffix(name, suffix)
			}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// alertMetrics returns the metrics of all rules, and dashboardMetrics the metrics of all panels,
// without up, which is of Prometheus.
func alertMetrics() (names []string) {
	for _, group := range Groups() {
		for _, record := range group.Records {
			names = append(names, metricNames(Defaults().fill(record.Expression))...)
		}
		for _, alert := range group.Alerts {
			names = append(names, metricNames(Defaults().fill(alert.Expression))...)
		}
	}
	return unique(names)
}

func dashboardMetrics() (names []string) {
	for _, row := range Rows() {
		for _, panel := range row.Panels {
			for _, query := range panel.Queries {
				names = append(names, metricNames(query.Expression)...)
			}
		}
	}
	return unique(names)
}

func unique(names []string) []string {
	names = slices.DeleteFunc(names, func(name string) bool { return name == "up" })
	slices.Sort(names)
	return slices.Compact(names)
}

func TestMetricNamesOfAnExpression(t *testing.T) {
	assert.Equal(t, []string{"a_total", "b", "c_seconds"}, metricNames(
		`sum by (job, x) (rate(a_total{job=~"q|r"}[5m])) / on (job) group_left () b > 2 and histogram_quantile(0.99, rate(c_seconds_bucket[5m])) or level:d:rate5m unless a_total`))
	assert.Equal(t, []string{"apiserver_admission_webhook_fail_open_count"}, metricNames(`apiserver_admission_webhook_fail_open_count > 0`))
}
