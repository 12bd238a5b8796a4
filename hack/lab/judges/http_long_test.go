//go:build long

package judges

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHTTPJudges compares what judges of HTTP and TLS say of both servers. What they find here and
// not in kube-apiserver fails.
func TestHTTPJudges(t *testing.T) {
	slow, tls := installed(t, "slowhttptest", "slowhttptest"), installed(t, "testssl", "testssl.sh")
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
