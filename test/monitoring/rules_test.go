package monitoring

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// runbook is the document that explains the alerts, each below a heading of its name.
const runbook = "https://github.com/flowcontrol-apiserver/flowcontrol-apiserver/blob/main/docs/operations.md#"

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(harness.Path(t, name))
	require.NoError(t, err)
	return string(content)
}

func rules(t *testing.T) (string, RuleFile) {
	t.Helper()
	text, file, err := Rules()
	require.NoError(t, err)
	require.NotEmpty(t, file.Alerts())
	return text, file
}

func TestEveryAlertIsExplainedAtItsAddress(t *testing.T) {
	document, alerts := read(t, "docs/operations.md"), 0
	_, file := rules(t)
	for _, alert := range file.Alerts() {
		alerts++
		heading := fmt.Sprintf("### %s\n\n*%s, after %s", alert.Alert, alert.Labels["severity"], alert.For)
		_, rest, explained := strings.Cut(document, heading)
		assert.True(t, explained, "docs/operations.md lacks %q", heading)
		end, _, _ := strings.Cut(rest, "\n")
		assert.Contains(t, []string{".*", ", fits kube-apiserver.*"}, end, alert.Alert)
		if strings.Contains(end, "fits") {
			assert.NotContains(t, alert.Expr, `job="flowcontrol-apiserver"`, "%s selects this server alone", alert.Alert)
			assert.Contains(t, alert.Expr, `job=~"flowcontrol-apiserver"`, alert.Alert)
		}
		assert.Equal(t, runbook+strings.ToLower(alert.Alert), alert.Annotations["runbook_url"])
	}
	headings := regexp.MustCompile(`(?m)^### (FlowControl\w+)$`).FindAllString(document, -1)
	assert.Len(t, headings, alerts, "an alert that does not exist is explained")
}

func TestEveryMetricOfARuleIsExplained(t *testing.T) {
	document := read(t, "docs/operations.md")
	for _, name := range ruleMetrics(t) {
		assert.Contains(t, document, "`"+name+"`")
	}
}

func TestEveryAlertSaysWhatIsWrongWhereAndWhatToDo(t *testing.T) {
	_, file := rules(t)
	for _, alert := range file.Alerts() {
		assert.Regexp(t, `^([A-Z]|etcd |kube-apiserver )[^{]*\.$`, alert.Annotations["summary"], alert.Alert)
		assert.Contains(t, alert.Annotations["description"], "{{ $labels.job }}", alert.Alert)
		assert.Regexp(t, `\.$`, alert.Annotations["description"], alert.Alert)
		assert.Contains(t, []string{"critical", "warning", "info"}, alert.Labels["severity"], alert.Alert)
		assert.Regexp(t, `^\d+[mh]$`, alert.For, alert.Alert)
	}
}

// A test of the long lane runs these cases with promtool.
func TestEveryAlertHasACaseInWhichItFiresAndOneInWhichItRests(t *testing.T) {
	var cases struct {
		Tests []struct {
			Name  string
			Cases []struct {
				Expected []struct{ Labels string } `json:"exp_samples"`
			} `json:"promql_expr_test"`
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, "test/monitoring/testdata/rules_test.yaml")), &cases))
	_, file := rules(t)
	for _, alert := range file.Alerts() {
		fires, rests := 0, 0
		for _, test := range cases.Tests {
			for _, c := range test.Cases {
				fired := false
				for _, sample := range c.Expected {
					fired = fired || sample.Labels == fmt.Sprintf("{alertname=%q}", alert.Alert)
				}
				switch {
				case fired:
					fires++
				case strings.HasPrefix(test.Name, alert.Alert+" "):
					rests++
				}
			}
		}
		assert.Positive(t, fires, "%s has no case where it fires", alert.Alert)
		assert.Positive(t, rests, "%s has no case where it rests", alert.Alert)
	}
}

// docs/operations.md says to replace the selector in the files.
func TestEveryRuleSelectsItsJobs(t *testing.T) {
	_, file := rules(t)
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			assert.Regexp(t, `job=~?"`, rule.Expr, "%s%s selects no job", rule.Record, rule.Alert)
			assert.NotRegexp(t, `\$`, rule.Expr, "a variable of the dashboard in %s%s", rule.Record, rule.Alert)
		}
	}
}
