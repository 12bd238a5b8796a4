//go:build long

package monitoring

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/monitoring/mixin"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	serverJob = "flowcontrol-apiserver"
	kubeJob   = "kube-apiserver"
)

// prometheus is a running Prometheus that evaluates the rules each second. It scrapes every
// four, since a scrape takes up to three while etcd does not answer.
type prometheus struct {
	url     string
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

// parameters are those of the tests: each duration is at its floor.
func parameters() mixin.Parameters {
	p := mixin.Defaults()
	p.FlowControlJobs = serverJob + "|" + kubeJob
	p.EtcdQuota = 32 << 20
	p.KeeperWrites = 1
	p.Pace = 1200
	return p
}

// startPrometheus starts a Prometheus without targets. The credentials are a line of its
// configuration.
func startPrometheus(t *testing.T, credentials string) *prometheus {
	t.Helper()
	path, err := binaries.Prometheus(t.Context())
	require.NoError(t, err)
	dir := t.TempDir()
	p := &prometheus{targets: filepath.Join(dir, "targets.json")}
	rules, err := parameters().Rules()
	require.NoError(t, err)
	write(t, filepath.Join(dir, "rules.yaml"), string(rules))
	p.scrape(t, nil)
	config := filepath.Join(dir, "prometheus.yml")
	write(t, config, fmt.Sprintf(configuration, credentials, p.targets))
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(harness.FreePorts(t, 1)[0]))
	harness.StartProcess(t, harness.Command{Path: path, Args: []string{
		"--config.file=" + config, "--storage.tsdb.path=" + filepath.Join(dir, "data"), "--web.listen-address=" + address,
	}})
	p.url = "http://" + address
	eventually.Holds(t, "Prometheus is ready", func(a *eventually.Attempt) {
		reply, err := harness.Send(a.Context(), http.DefaultClient, http.MethodGet, p.url+"/-/ready", "")
		require.NoError(a, err)
		require.Equal(a, http.StatusOK, reply.Code)
	})
	return p
}

// scrape sets the targets: addresses by job.
func (p *prometheus) scrape(t *testing.T, jobs map[string][]string) {
	t.Helper()
	type group struct {
		Targets []string          `json:"targets"`
		Labels  map[string]string `json:"labels"`
	}
	groups := []group{}
	for job, addresses := range jobs {
		groups = append(groups, group{addresses, map[string]string{"job": job}})
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
		up, err := p.query(a.Context(), `up == 1`)
		require.NoError(a, err)
		require.Len(a, up, n)
	})
}

// sample is a series with its value.
type sample struct {
	labels map[string]string
	value  string
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
		samples = append(samples, sample{result.Metric, fmt.Sprint(result.Value[1])})
	}
	return samples, nil
}

// alert is a firing alert.
type alert struct {
	Labels, Annotations map[string]string
	State               string
}

// firing returns the alerts that fire.
func (p *prometheus) firing(ctx context.Context) ([]alert, error) {
	var data struct{ Alerts []alert }
	err := p.get(ctx, "/api/v1/alerts", &data)
	return slices.DeleteFunc(data.Alerts, func(a alert) bool { return a.State != "firing" }), err
}

// get decodes the data of a response.
func (p *prometheus) get(ctx context.Context, path string, into any) error {
	reply, err := harness.Send(ctx, http.DefaultClient, http.MethodGet, p.url+path, "")
	if err != nil {
		return err
	}
	var body struct {
		Status, Error string
		Data          json.RawMessage
	}
	if err := json.Unmarshal([]byte(reply.Body), &body); err != nil {
		return fmt.Errorf("%s: %w: %s", path, err, reply.Body)
	}
	if body.Status != "success" {
		return fmt.Errorf("%s: %s", path, body.Error)
	}
	return json.Unmarshal(body.Data, into)
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
			if alert.Labels["alertname"] != name || !alert.has(labels) {
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

func (a alert) has(labels []string) bool {
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

func write(t *testing.T, file, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
}
