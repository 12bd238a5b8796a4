package mixin

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

func read(t *testing.T, path ...string) string {
	t.Helper()
	root, err := binaries.Root()
	require.NoError(t, err)
	content, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
	require.NoError(t, err)
	return string(content)
}

func TestFilesAreCurrent(t *testing.T) {
	files, err := Defaults().Files()
	require.NoError(t, err)
	for name, content := range files {
		assert.Equal(t, string(content), read(t, filepath.FromSlash(Folder), name), "%s is not current: run 'make update-docs'", name)
	}
}

func TestEveryAlertIsExplainedAtItsAddress(t *testing.T) {
	document := read(t, "docs", "operations.md")
	for _, alert := range Alerts() {
		fits := ""
		if alert.FitsKubeAPIServer {
			fits = ", fits kube-apiserver"
		}
		assert.Contains(t, document, fmt.Sprintf("### %s\n\n*%s, after %s%s.*", alert.Name, alert.Severity, model.Duration(alert.For), fits))
		assert.Equal(t, Runbook+"#"+strings.ToLower(alert.Name), alert.Runbook())
	}
	headings := regexp.MustCompile(`(?m)^### (FlowControl\w+)$`).FindAllString(document, -1)
	assert.Len(t, headings, len(Alerts()), "an alert that does not exist is explained")
}

func TestEveryMetricOfAnAlertIsExplained(t *testing.T) {
	document := read(t, "docs", "operations.md")
	for _, name := range alertMetrics() {
		assert.Contains(t, document, "`"+name+"`")
	}
}

func TestEveryAlertSaysWhatIsWrongWhereAndWhatToDo(t *testing.T) {
	for _, alert := range Alerts() {
		assert.Regexp(t, `^([A-Z]|etcd |kube-apiserver )[^{]*\.$`, alert.Summary, alert.Name)
		assert.Contains(t, alert.Description, "{{ $labels.job }}", alert.Name)
		assert.Regexp(t, `\.$`, alert.Description, alert.Name)
		assert.Contains(t, []Severity{Critical, Warning, Info}, alert.Severity, alert.Name)
		assert.Positive(t, alert.For, alert.Name)
		if alert.FitsKubeAPIServer {
			assert.NotContains(t, alert.Expression, "$server", alert.Name)
		}
	}
}

// A test of the long lane runs these cases with promtool.
func TestEveryAlertHasACaseInWhichItFiresAndOneInWhichItRests(t *testing.T) {
	var file struct {
		Tests []struct {
			Name  string
			Cases []struct {
				Expected []struct{ Labels string } `json:"exp_samples"`
			} `json:"promql_expr_test"`
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, "hack", "monitoring", "testdata", "rules_test.yaml")), &file))
	for _, alert := range Alerts() {
		fires, rests := 0, 0
		for _, test := range file.Tests {
			for _, c := range test.Cases {
				fired := false
				for _, sample := range c.Expected {
					fired = fired || sample.Labels == fmt.Sprintf("{alertname=%q}", alert.Name)
				}
				switch {
				case fired:
					fires++
				case strings.HasPrefix(test.Name, alert.Name+" "):
					rests++
				}
			}
		}
		assert.Positive(t, fires, "%s has no case where it fires", alert.Name)
		assert.Positive(t, rests, "%s has no case where it rests", alert.Name)
	}
}

func TestParametersSelectTheJobs(t *testing.T) {
	parameters := Defaults()
	parameters.FlowControlJobs = "flowcontrol-apiserver|apiserver"
	rules, err := parameters.Rules()
	require.NoError(t, err)
	// docs/operations.md says to replace the selector in the files.
	edited := strings.ReplaceAll(read(t, filepath.FromSlash(Folder), "rules.yaml"), `job=~"flowcontrol-apiserver"`, `job=~"flowcontrol-apiserver|apiserver"`)
	var want, got ruleFile
	require.NoError(t, yaml.Unmarshal(rules, &want))
	require.NoError(t, yaml.Unmarshal([]byte(edited), &got))
	assert.Equal(t, want, got)
	for _, group := range want.Groups {
		for _, rule := range group.Rules {
			assert.NotContains(t, rule.Expr, "$", "an unknown placeholder in %s%s", rule.Record, rule.Alert)
			assert.Regexp(t, `job=~?"`, rule.Expr, "%s%s selects no job", rule.Record, rule.Alert)
		}
	}
}

func TestPaceShortensDownToAFloor(t *testing.T) {
	parameters := Defaults()
	assert.Equal(t, "5m", parameters.shorten(5*time.Minute, 5*time.Second).String())
	assert.Equal(t, "120", parameters.age())
	parameters.Pace = 10
	assert.Equal(t, "30s", parameters.shorten(5*time.Minute, 5*time.Second).String())
	parameters.Pace = 600
	assert.Equal(t, "5s", parameters.shorten(5*time.Minute, 5*time.Second).String())
	assert.Equal(t, "2s", parameters.shorten(2*time.Second, 5*time.Second).String(), "never longer than in production")
	rules, err := parameters.Rules()
	require.NoError(t, err)
	assert.NotContains(t, string(rules), "[5m]")
}

func TestDashboardHasEveryPanelAtAPlaceOfItsOwn(t *testing.T) {
	content, err := Dashboard()
	require.NoError(t, err)
	var board dashboard
	require.NoError(t, json.Unmarshal(content, &board))
	panels, ids, places := 0, map[int]bool{}, map[[2]int]bool{}
	for _, panel := range board.Panels {
		ids[panel.ID] = true
		for x := panel.Grid.X; x < panel.Grid.X+panel.Grid.Width; x++ {
			for y := panel.Grid.Y; y < panel.Grid.Y+panel.Grid.Height; y++ {
				require.False(t, places[[2]int{x, y}], "%s overlaps another panel", panel.Title)
				require.Less(t, x, 24)
				places[[2]int{x, y}] = true
			}
		}
		if panel.Type != "row" {
			panels++
			assert.NotEmpty(t, panel.Description, panel.Title)
			assert.NotEmpty(t, panel.Targets, panel.Title)
		}
	}
	assert.Len(t, ids, len(board.Panels))
	want := 0
	for _, row := range Rows() {
		want += len(row.Panels)
	}
	assert.Equal(t, want, panels)
}

func TestDashboardShowsWhatAlertsAreAbout(t *testing.T) {
	shown := dashboardMetrics()
	for _, name := range alertMetrics() {
		assert.Contains(t, shown, name, "an alert is about it")
	}
}
