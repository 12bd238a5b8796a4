package simulate

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Assertion is a condition on a Result.
//
//	[SCOPE.]METRIC OPERATOR VALUE
//
// SCOPE is level.NAME, schema.NAME, flow.SCHEMA.DISTINGUISHER, or missing for all requests.
// A name with dots or spaces is in double quotes. METRIC is one of
//
//	requests, dispatched, waited, rejected, retries, seatSeconds
//	rejected.REASON, such as rejected.queue-full
//	wait.mean, wait.p50, wait.p90, wait.p99, wait.max
//	seats.mean, seats.max, limit.mean, limit.min, limit.max     levels only
//	borrowed.mean, borrowed.max, lent.mean, lent.max            levels only
//	jain, mostWaiting                                           levels only
//
// OPERATOR is <, <=, >, >=, == or !=. VALUE is a number, with a unit of time for waits
// ("100ms"), or with a percent sign for rejected: a percentage of the requests.
type Assertion struct {
	text              string
	scope             string // level, schema, flow, or ""
	names             []string
	metric            string
	operator          string
	value             float64
	percent, duration bool
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
	out.scope, out.names = "level", []string{name}
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

// ParseAssertion parses an assertion. An error names the position, from 1 on.
func ParseAssertion(text string) (*Assertion, error) {
	p := assertionParser{text: text}
	a := &Assertion{text: text}
	if err := p.parse(a); err != nil {
		return nil, fmt.Errorf("assertion %q, position %d: %w", text, p.shown+1, err)
	}
	return a, nil
}

// assertionParser reads an assertion.
type assertionParser struct {
	text  string
	at    int // of the next byte
	shown int // of what is read now, for errors
}

func (p *assertionParser) parse(a *Assertion) error {
	words, err := p.path()
	if err != nil {
		return err
	}
	if err := p.scope(a, words); err != nil {
		return err
	}
	p.space()
	p.shown = p.at
	rest := p.text[p.at:]
	for _, operator := range []string{"<=", ">=", "==", "!=", "<", ">"} {
		if strings.HasPrefix(rest, operator) {
			a.operator = operator
			break
		}
	}
	if a.operator == "" {
		return errors.New("an operator is missing: must be one of <, <=, >, >=, ==, !=")
	}
	p.at += len(a.operator)
	p.space()
	p.shown = p.at
	return a.setValue(strings.TrimRight(p.text[p.at:], " \t"))
}

func (p *assertionParser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t", p.text[p.at]) >= 0 {
		p.at++
	}
}

// word is a part of a path and its position.
type word struct {
	text string
	at   int
}

// path reads words with dots between them.
func (p *assertionParser) path() ([]word, error) {
	p.space()
	var words []word
	for {
		p.shown = p.at
		w := word{at: p.at}
		if p.at < len(p.text) && p.text[p.at] == '"' {
			end := strings.IndexByte(p.text[p.at+1:], '"')
			if end < 0 {
				return nil, errors.New("the quotation mark has no end")
			}
			w.text = p.text[p.at+1 : p.at+1+end]
			p.at += end + 2
		} else {
			end := strings.IndexAny(p.text[p.at:], ".<>=! \t\"")
			if end < 0 {
				end = len(p.text) - p.at
			}
			w.text = p.text[p.at : p.at+end]
			p.at += end
		}
		if w.text == "" {
			return nil, errors.New("a name or a metric is missing")
		}
		words = append(words, w)
		if p.at >= len(p.text) || p.text[p.at] != '.' {
			return words, nil
		}
		p.at++
	}
}

// scope sets what is before the operator.
func (p *assertionParser) scope(a *Assertion, words []word) error {
	names := map[string]int{"level": 1, "schema": 1, "flow": 2}[words[0].text]
	if names > 0 {
		a.scope = words[0].text
		if len(words) < names+2 {
			p.shown = p.at
			return fmt.Errorf("%s must be followed by its name and a metric, as in level.workload-high.wait.p99; flow by the name of the flow schema and the name of the flow", a.scope)
		}
		for _, w := range words[1 : 1+names] {
			a.names = append(a.names, w.text)
		}
		words = words[1+names:]
	}
	p.shown = words[0].at
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.text
	}
	a.metric = strings.Join(texts, ".")
	switch {
	case isLevelMetric(a.metric) && a.scope != "level":
		return fmt.Errorf("the metric %q is one of levels: write level.NAME.%s", a.metric, a.metric)
	case !isLevelMetric(a.metric) && !isMetric(a.metric):
		return fmt.Errorf("the metric %q is unknown: must be one of %s; of levels also one of %s", a.metric, strings.Join(metricNames(), ", "), strings.Join(levelMetricNames(), ", "))
	}
	return nil
}

// setValue sets what is after the operator.
func (a *Assertion) setValue(text string) error {
	if text == "" {
		return errors.New("a value is missing")
	}
	if strings.HasPrefix(a.metric, "wait.") {
		d, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("the value %q must be a duration such as 100ms", text)
		}
		a.value, a.duration = d.Seconds(), true
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
