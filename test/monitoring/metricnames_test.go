package monitoring

import (
	"regexp"
	"slices"
	"strings"
	"testing"
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

// ruleMetrics returns the metrics of all rules, and dashboardMetrics the metrics of all panels,
// without up, which is of Prometheus.
func ruleMetrics(t *testing.T) (names []string) {
	t.Helper()
	_, file := rules(t)
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			names = append(names, metricNames(rule.Expr)...)
		}
	}
	return unique(names)
}

func dashboardMetrics(t *testing.T) (names []string) {
	t.Helper()
	for _, panel := range panels(t) {
		for _, query := range panel.Targets {
			names = append(names, metricNames(query.Expr)...)
		}
	}
	return unique(names)
}

func unique(names []string) []string {
	names = slices.DeleteFunc(names, func(name string) bool { return name == "up" })
	slices.Sort(names)
	return slices.Compact(names)
}
