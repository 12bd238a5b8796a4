//go:build long

package monitoring

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/prom"
	artifact "github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/monitoring"
)

const (
	serverJob = "flowcontrol-apiserver"
	kubeJob   = "kube-apiserver"
	etcdJob   = "flowcontrol-etcd"
)

// prometheus is a running Prometheus that evaluates the rules each second. It scrapes every
// four, since a scrape takes up to three while etcd does not answer.
type prometheus struct {
	*prom.Server
	targets string // path of the file with the targets
}

// configuration scrapes targets. Two parameters: credentials, and the path of the targets.
const configuration = `
global: {scrape_interval: 4s, scrape_timeout: 4s, evaluation_interval: 1s}
rule_files: [rules.yaml]
scrape_configs:
- job_name: servers
  scheme: https
  %s
  file_sd_configs:
  - {files: [%q], refresh_interval: 1s}
`

// assumedQuota is the quota of an etcd that is not scraped, in bytes.
const assumedQuota = 32 << 20

// shortened returns the rules for these jobs, this quota and one write of a keeper. Windows and
// durations are the shortest useful ones with a scrape every four seconds, passes of the keeper
// a minute apart, and checks every ten seconds.
func shortened(t *testing.T) string {
	t.Helper()
	rules, _, err := artifact.Rules()
	require.NoError(t, err)
	for _, change := range [][2]string{
		{`job=~"` + serverJob + `"`, `job=~"` + serverJob + "|" + kubeJob + `"`},
		{"2147483648", fmt.Sprint(assumedQuota)},
		{"[15m])) > 5", "[15m])) > 1"},
		{"[5m]", "[12s]"}, {"[15m]", "[2m]"}, {"[30m]", "[20s]"}, {"[1h]", "[20s]"},
		{" > 120", " > 25"},
	} {
		require.Contains(t, rules, change[0])
		rules = strings.ReplaceAll(rules, change[0], change[1])
	}
	return regexp.MustCompile(`(?m)^( +for:) \w+$`).ReplaceAllString(rules, "$1 1s")
}

// startPrometheus starts a Prometheus without targets. The credentials are a line of its
// configuration.
func startPrometheus(t *testing.T, credentials string) *prometheus {
	t.Helper()
	dir := t.TempDir()
	started := &prometheus{targets: filepath.Join(dir, "targets.json")}
	write(t, filepath.Join(dir, "rules.yaml"), shortened(t))
	started.scrape(t, nil)
	config := filepath.Join(dir, "prometheus.yml")
	write(t, config, fmt.Sprintf(configuration, credentials, started.targets))
	started.Server = prom.Start(t, config)
	return started
}

// scrape sets the targets: addresses by job. etcd serves HTTP.
func (p *prometheus) scrape(t *testing.T, jobs map[string][]string) {
	t.Helper()
	type group struct {
		Targets []string          `json:"targets"`
		Labels  map[string]string `json:"labels"`
	}
	groups := []group{}
	for job, addresses := range jobs {
		labels := map[string]string{"job": job}
		if job == etcdJob {
			labels["__scheme__"] = "http"
		}
		groups = append(groups, group{addresses, labels})
	}
	content, err := json.Marshal(groups)
	require.NoError(t, err)
	// Prometheus must not read half a file.
	next := p.targets + ".next"
	write(t, next, string(content))
	require.NoError(t, os.Rename(next, p.targets))
}

// awaitUp waits until n targets are scraped.
func (p *prometheus) awaitUp(t *testing.T, n int) {
	t.Helper()
	eventually.Holds(t, "the servers are scraped", func(a *eventually.Attempt) {
		up, err := p.Query(a.Context(), `up == 1`)
		require.NoError(a, err)
		require.Len(a, up, n)
	})
}

// firing returns the alerts that fire.
func (p *prometheus) firing(ctx context.Context) ([]prom.Alert, error) {
	alerts, err := p.Alerts(ctx)
	return slices.DeleteFunc(alerts, func(a prom.Alert) bool { return a.State != "firing" }), err
}

// requireFires waits until an alert fires with these labels, given as name, value, ... Its
// annotations must be expanded.
func (p *prometheus) requireFires(t *testing.T, name string, labels ...string) {
	t.Helper()
	eventually.Holds(t, name+" fires", func(a *eventually.Attempt) {
		firing, err := p.firing(a.Context())
		require.NoError(a, err)
		var names []string
		for _, alert := range firing {
			names = append(names, alert.Labels["alertname"])
			if alert.Labels["alertname"] != name || !has(alert, labels) {
				continue
			}
			for _, text := range alert.Annotations {
				require.NotContains(a, text, "<error")
				require.NotContains(a, text, "<no value>")
				require.NotContains(a, text, "{{")
			}
			return
		}
		require.Fail(a, "it does not fire", "firing: %v", names)
	})
}

// has reports whether an alert has labels, given as name, value, ...
func has(a prom.Alert, labels []string) bool {
	for i := 0; i < len(labels); i += 2 {
		if a.Labels[labels[i]] != labels[i+1] {
			return false
		}
	}
	return true
}

// requireRests waits until no alert of this name fires; with no name, none at all.
func (p *prometheus) requireRests(t *testing.T, names ...string) {
	t.Helper()
	eventually.Holds(t, fmt.Sprintf("%q do not fire", names), func(a *eventually.Attempt) {
		firing, err := p.firing(a.Context())
		require.NoError(a, err)
		for _, alert := range firing {
			if len(names) == 0 || slices.Contains(names, alert.Labels["alertname"]) {
				require.Fail(a, "it fires", "%v", alert)
			}
		}
	})
}

// requireSeries waits until an expression has a result.
func (p *prometheus) requireSeries(t *testing.T, expression string) {
	t.Helper()
	eventually.Holds(t, expression+" has a value", func(a *eventually.Attempt) {
		samples, err := p.Query(a.Context(), expression)
		require.NoError(a, err)
		require.NotEmpty(a, samples)
	})
}

func write(t *testing.T, file, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
}
