//go:build long

package judges

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestHTTPJudges compares what judges of HTTP and TLS say of both servers. What they find here and
// not in kube-apiserver fails.
func TestHTTPJudges(t *testing.T) {
	slow, tls, load := installed(t, "slowhttptest", "slowhttptest"), installed(t, "testssl", "testssl.sh"), installed(t, "wrk", "wrk")
	servers := startBoth(t)
	// slowhttptest looks whether it is answered as the slow user, who is rejected here and waits there.
	t.Run("slowhttptest", func(t *testing.T) {
		for _, mode := range []string{"H", "B", "X"} { // headers, bodies, reading
			var closed []time.Duration
			for i, s := range servers {
				result := slowly(t, slow, s, mode)
				t.Logf("-%s, %s: no answer for %d s, slow connections closed after %v", mode, s.name, result.unavailable, result.closed)
				assert.False(t, i == 0 && result.unavailable > 0, "it did not answer others")
				closed = append(closed, result.closed)
			}
			assert.LessOrEqual(t, closed[0], closed[1]+5*time.Second, "slow clients of -%s are kept for longer than by kube-apiserver", mode)
		}
	})
	t.Run("testssl", func(t *testing.T) {
		var found [2][]string
		for i, s := range servers {
			found[i] = testssl(t, tls, s)
			t.Logf("%s:\n%s", s.name, strings.Join(found[i], "\n"))
		}
		assert.Subset(t, found[1], found[0], "what testssl.sh finds here and not in kube-apiserver")
	})
	t.Run("load", func(t *testing.T) {
		vegeta := harness.Program(t, binaries.Judge("vegeta"))
		for name, measure := range map[string]func(*testing.T, judged) rate{
			"vegeta":      func(t *testing.T, s judged) rate { t.Helper(); return attack(t, vegeta, s) },
			"wrk, HTTP/1": func(t *testing.T, s judged) rate { t.Helper(); return wrk(t, load, s) },
		} {
			t.Log(name + ": " + compare(t, servers, measure))
		}
	})
}

// slowness is what slow clients did to a server.
type slowness struct {
	// unavailable is how many seconds long it gave others no answer.
	unavailable int
	// closed is when the last slow connection was closed, or the end of the test.
	closed time.Duration
}

// slowly opens 1,000 connections in one of slowhttptest's modes for 75 s at most, longer than a request may take.
func slowly(t *testing.T, program string, s judged, mode string) (result slowness) {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "slow")
	// The judge's token follows the value of Accept, since no flag sets a header.
	output := run(t, program, "-"+mode, "-c", "1000", "-r", "200", "-i", "10", "-l", "75", "-p", "3", "-g", "-o", prefix,
		"-u", s.url+schemas, "-f", "application/json", "-m", "*/*\r\nAuthorization: Bearer "+judge)
	file, err := os.Open(prefix + ".csv")
	require.NoError(t, err, output)
	defer func() { _ = file.Close() }()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	for _, row := range rows[1:] { // seconds, closed, pending, connected, service available
		if row[4] == "0" {
			result.unavailable++
		}
		if row[2] != "0" || row[3] != "0" {
			seconds, err := strconv.Atoi(row[0])
			require.NoError(t, err)
			result.closed = time.Duration(seconds) * time.Second
		}
	}
	return result
}

// testssl returns the findings, sorted.
func testssl(t *testing.T, program string, s judged) (found []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "testssl.json")
	output := run(t, program, "--quiet", "--color=0", "--warnings=off", "--nodns=none", "--severity=LOW", "--add-ca="+s.ca, "--jsonfile="+file, s.url+"/livez")
	content, err := os.ReadFile(file)
	require.NoError(t, err, output)
	var findings []struct{ ID, Severity, Finding string }
	require.NoError(t, json.Unmarshal(content, &findings), output)
	for _, f := range findings {
		id, _, _ := strings.Cut(f.ID, " ") // without the number of the certificate
		found = append(found, fmt.Sprintf("%s %s: %s", f.Severity, id, f.Finding))
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// rate is the result of one round.
type rate struct {
	perSecond float64
	p99       time.Duration
}

const (
	rounds  = 7
	clients = "16"
	// lasts is the length of a round.
	lasts = "5s"
)

// compare measures both servers in turns.
func compare(t *testing.T, servers []judged, measure func(*testing.T, judged) rate) string {
	t.Helper()
	var rates, tails [2][]float64
	for round := range rounds + 1 {
		for turn := range servers {
			i := (turn + round) % len(servers)
			result := measure(t, servers[i])
			if round > 0 { // the first warms up
				rates[i] = append(rates[i], result.perSecond)
				tails[i] = append(tails[i], result.p99.Seconds()*1e3)
			}
		}
	}
	median := func(values []float64) float64 { return measurement.Quantile(values, 0.5) }
	var ratios []float64
	for i := range rates[0] {
		ratios = append(ratios, rates[0][i]/rates[1][i])
	}
	return fmt.Sprintf("%s gets with %s connections: %.0f beside %.0f a second, ratio %.2f (%.2f to %.2f in single rounds); p99 %.1f beside %.1f ms", lasts, clients,
		median(rates[0]), median(rates[1]), median(ratios), slices.Min(ratios), slices.Max(ratios), median(tails[0]), median(tails[1]))
}

// attack lets vegeta ask as fast as it is answered, over HTTP/2 with the judge's certificate.
func attack(t *testing.T, program string, s judged) rate {
	t.Helper()
	dir := t.TempDir()
	targets, results := filepath.Join(dir, "targets"), filepath.Join(dir, "results")
	require.NoError(t, os.WriteFile(targets, []byte("GET "+s.url+schemas+"/catch-all\n"), 0o600))
	run(t, program, "attack", "-targets="+targets, "-output="+results, "-rate=0", "-max-workers="+clients, "-workers="+clients,
		"-duration="+lasts, "-root-certs="+s.ca, "-cert="+s.client.CertFile, "-key="+s.client.KeyFile)
	var report struct {
		Throughput  float64
		Success     float64
		StatusCodes map[string]int `json:"status_codes"`
		Latencies   struct {
			P99 int64 `json:"99th"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(run(t, program, "report", "-type=json", results)), &report))
	require.InDelta(t, 1, report.Success, 0, "%s: %v", s.name, report.StatusCodes)
	return rate{report.Throughput, time.Duration(report.Latencies.P99)}
}

// wrk lets wrk do so over HTTP/1.1. It has no client certificates, so it sends the judge's token.
func wrk(t *testing.T, program string, s judged) rate {
	t.Helper()
	output := run(t, program, "-t1", "-c"+clients, "-d"+lasts, "--latency", "-H", "Authorization: Bearer "+judge, s.url+schemas+"/catch-all")
	require.NotContains(t, output, "Non-2xx", s.name)
	found := regexp.MustCompile(`(?s)99%\s+(\S+).*Requests/sec:\s+(\S+)`).FindStringSubmatch(output)
	require.NotNil(t, found, output)
	tail, err := time.ParseDuration(found[1])
	require.NoError(t, err)
	perSecond, err := strconv.ParseFloat(found[2], 64)
	require.NoError(t, err)
	return rate{perSecond, tail}
}
