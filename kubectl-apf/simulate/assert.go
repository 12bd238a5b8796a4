package simulate

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Assertion is a condition on a Result.
//
//	[SCOPE.]METRIC OPERATOR VALUE
//
// SCOPE is level.NAME, schema.NAME, or missing for all requests.
// A name with dots or spaces is in double quotes. METRIC is one of
//
//	requests, dispatched, waited, rejected, retries, seatSeconds
//	rejected.REASON, such as rejected.queue-full
//	wait.mean, wait.p50, wait.p90, wait.p99, wait.max
//	seats.mean, seats.max, limit.mean, limit.min, limit.max     levels only
//	borrowed.mean, borrowed.max, lent.mean, lent.max            levels only
//	mostWaiting                                                 levels only
//
// OPERATOR is <, <=, >, >=, == or !=. VALUE is a number, with a unit of time for waits
// ("100ms"), or with a percent sign for rejected: a percentage of the requests.
type Assertion struct {
	text     string
	scope    string // level, schema, or ""
	name     string
	metric   string
	operator string
	value    float64
	percent  bool
}

// Verdict is the result of an assertion on one configuration.
type Verdict struct {
	Assertion     string `json:"assertion"`
	Configuration string `json:"configuration"`
	Holds         bool   `json:"holds"`
	// Value is what the metric is; nil if there is none, which Why says.
	Value *float64 `json:"value,omitempty"`
	Why   string   `json:"why,omitempty"`
}

// String returns the text of the assertion.
func (a *Assertion) String() string { return a.text }

// ForLevel returns an assertion about all requests as one about requests of a level, and any other
// one as it is.
func (a *Assertion) ForLevel(name string) *Assertion {
	if a.scope != "" {
		return a
	}
	out := *a
	out.scope, out.name = "level", name
	if strings.ContainsAny(name, ".<>=! \t") {
		name = `"` + name + `"`
	}
	out.text = "level." + name + "." + strings.TrimLeft(a.text, " \t")
	return &out
}

// BoundsLack reports whether the assertion is an upper bound on what a lack of seats causes,
// waits and rejections, so that more seats do not break it.
func (a *Assertion) BoundsLack() bool {
	lack := a.metric == "waited" || a.metric == "mostWaiting" || a.metric == "rejected" ||
		strings.HasPrefix(a.metric, "rejected.") || strings.HasPrefix(a.metric, "wait.")
	return lack && (a.operator == "<" || a.operator == "<=" || a.operator == "==" && a.value == 0)
}

// assertionForm returns the form of an assertion: the scope and its name, metric, operator and
// value. A name in quotes keeps them.
func assertionForm() *regexp.Regexp {
	return regexp.MustCompile(`^[ \t]*(?:(level|schema)\.("[^"]+"|[^.<>=! \t"]+)\.)?([A-Za-z0-9.-]+)[ \t]*(<=|>=|==|!=|<|>)[ \t]*([^ \t]+)[ \t]*$`)
}

// ParseAssertion parses an assertion. An error says what is wrong with it.
func ParseAssertion(text string) (*Assertion, error) {
	parts := assertionForm().FindStringSubmatch(text)
	if parts == nil {
		return nil, fmt.Errorf("the assertion %q must be [level.NAME.|schema.NAME.]METRIC OPERATOR VALUE, such as \"level.workload-high.wait.p99 < 100ms\"; the operator is one of <, <=, >, >=, ==, !=, and a name with dots or spaces is in double quotes", text)
	}
	a := &Assertion{text: text, scope: parts[1], name: strings.Trim(parts[2], `"`), metric: parts[3], operator: parts[4]}
	err := a.checkMetric()
	if err == nil {
		err = a.setValue(parts[5])
	}
	if err != nil {
		return nil, fmt.Errorf("the assertion %q: %w", text, err)
	}
	return a, nil
}

func (a *Assertion) checkMetric() error {
	all, ofLevels := (&Figures{}).metrics(), (&Level{}).metrics()
	_, known := all[a.metric]
	_, ofLevel := ofLevels[a.metric]
	names := func(metrics map[string]float64) string {
		return strings.Join(slices.Sorted(maps.Keys(metrics)), ", ")
	}
	switch {
	case ofLevel && a.scope != "level":
		return fmt.Errorf("the metric %q is one of levels: write level.NAME.%s", a.metric, a.metric)
	case !known && !ofLevel:
		return fmt.Errorf("the metric %q is unknown: must be one of %s; of levels also one of %s", a.metric, names(all), names(ofLevels))
	}
	return nil
}

// setValue sets what is after the operator.
func (a *Assertion) setValue(text string) error {
	if strings.HasPrefix(a.metric, "wait.") {
		d, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("the value %q must be a duration such as 100ms", text)
		}
		a.value = d.Seconds()
		return nil
	}
	number, percent := strings.CutSuffix(text, "%")
	value, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return fmt.Errorf("the value %q must be a number", text)
	}
	if percent && a.metric != "rejected" && !strings.HasPrefix(a.metric, "rejected.") {
		return fmt.Errorf("the value %q must be a number: only rejected may be a percentage of the requests", text)
	}
	a.value, a.percent = value, percent
	return nil
}

// holds compares a value.
func (a *Assertion) holds(value float64) bool {
	order := cmp.Compare(value, a.value)
	switch a.operator {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	case "==":
		return order == 0
	default:
		return order != 0
	}
}
